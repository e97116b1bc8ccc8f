/** What the palace contains, as documents. */
import { groupBy } from '../core/group-by.js';
import type { Output } from '../service/contract/index.js';
import type { Document } from './documents/index.js';
import { sourceJson } from './drawers.js';
import { feederJson, runJson } from './runs.js';

interface Page {
  limit: number;
  offset: number;
}

/** A page without a limit contains all that follows. */
type OpenPage = Pick<Page, 'offset'> & { limit: number | null };

function among<Row>(all: readonly Row[], { limit, offset }: OpenPage) {
  const rows = all.slice(offset, limit === null ? undefined : offset + limit);
  return { head: { total: all.length, offset, limit }, rows };
}

/** A page of the wings. */
export function wingsDocument({ wings }: Output<'places'>, page: OpenPage): Document<'listWings'> {
  const { head, rows } = among(wings, page);
  return { list: 'wings', ...head, wings: rows };
}

/** A page of the rooms. */
export function roomsDocument({ rooms }: Output<'places'>, page: OpenPage): Document<'listRooms'> {
  const { head, rows } = among(rooms, page);
  return { list: 'rooms', ...head, rooms: rows };
}

/** Days without content are left out. */
export function daysDocument({ days }: Output<'days'>, page: OpenPage): Document<'listDays'> {
  const { head, rows } = among([...groupBy(days, ({ day }) => day)], page);
  return {
    list: 'days',
    ...head,
    days: rows.map(([day, ofDay]) => ({
      day,
      ...totalOf(ofDay),
      wings: ofDay.map(({ day: _, ...wing }) => wing),
    })),
  };
}

/** A page of sources. */
export function sourcesDocument(
  { sources, total }: Output<'sources'>,
  { offset, limit }: Page,
): Document<'listSources'> {
  const rows = sources.map((source) => ({
    ...sourceJson(source, source.drawers),
    date: source.day,
    chars: source.chars,
    filed_at: source.filedAt,
    priority: source.priority,
    priority_from: source.priorityFrom,
    pinned: source.pinned,
  }));
  return { list: 'sources', total, offset, limit, sources: rows };
}

/** A page of runs; they are not counted. */
export function runsDocument({ runs }: Output<'runs'>, { offset, limit }: Page): Document<'listRuns'> {
  return { list: 'runs', total: null, offset, limit, runs: runs.map(runJson) };
}

/**
 * What a client knows of the palace: its name, its broker, sessions that hooks noted and no run has filed, schedules that did
 * not run, and the model that makes summaries.
 */
export type Surroundings = Pick<Document<'status'>, 'palace' | 'broker' | 'stale' | 'hooks'> & {
  summaries?: { model: string; daily_budget: number } | undefined;
};

/** What the palace contains, with what a client knows of its surroundings. */
export function statusDocument(
  { bytes, model, coverage, words, rooms, feeders, runs, warnings, tasks, summaryTokens }: Output<'status'>,
  { palace, broker, stale, summaries, hooks }: Surroundings,
): Document<'status'> {
  return {
    palace,
    bytes,
    model,
    ...totalOf(rooms),
    meaning: coverage,
    ...(words === undefined ? {} : { words }),
    ...(tasks === undefined ? {} : { tasks }),
    ...(summaries === undefined ? {} : { summaries: { ...summaries, spent_today: summaryTokens } }),
    ...(hooks === undefined ? {} : { hooks }),
    wings: [...groupBy(rooms, ({ wing }) => wing)].map(([wing, inWing]) => {
      return { wing, ...totalOf(inWing), rooms: inWing.map(({ wing: _, ...room }) => room) };
    }),
    feeders: feeders.map(feederJson),
    runs: runs.map(runJson),
    broker,
    remarks: warnings,
    stale,
  };
}

/** The sums of sources and drawers. */
export function totalOf(counts: readonly { sources: number; drawers: number }[]) {
  return {
    sources: counts.reduce((sum, { sources }) => sum + sources, 0),
    drawers: counts.reduce((sum, { drawers }) => sum + drawers, 0),
  };
}
