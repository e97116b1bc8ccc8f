import { join } from 'node:path';
import { UserError } from '../../../core/errors.js';
import { BAR, NOTICE } from '../../../core/outside.js';
import { resolveFolders } from '../../../platform/folders.js';
import { lockHolder } from '../../../platform/lock.js';
import { sourceJson } from '../../../presentation/drawers.js';
import { type RunJson, runJson } from '../../../presentation/runs.js';
import type { ListedSource, Palace } from '../../../store/index.js';
import { formatSeconds, parseCount, plural } from '../../app/durations.js';
import { EXIT } from '../../app/exit.js';
import { minuteOf } from '../../app/moments.js';
import { openPalace } from '../../app/open-palace.js';
import type { CommonFlags } from '../../app/options.js';
import type { CommandContext } from '../../app/runner.js';
import { type Column, renderTable } from '../../terminal/table.js';
import { line, type Terminal } from '../../terminal/terminal.js';
import { shorten } from '../../terminal/width.js';
import type { LISTS } from './kinds.js';

export interface ListFlags extends CommonFlags {
  wing?: string;
  room?: string;
  limit?: string;
  offset?: string;
}

interface Query {
  wing: string | undefined;
  room: string | undefined;
  limit: number;
  offset: number;
}

/** One page of a list: what `--json` prints, and the same for people. */
interface Listed {
  json: { total: number | null; rows: unknown[] };
  columns: Column[];
  rows: string[][];
  /** Of each row, a line below it. */
  below?: string[];
}

const ROWS_SHOWN = 20;

/** `mempalace list wings|rooms|sources|runs`. Returns the exit code. */
export async function runList(what: string, flags: ListFlags, context: CommandContext): Promise<number> {
  const query = queryOf(what, flags);
  const folders = resolveFolders(context.env, flags.palace);
  const palace = await openPalace(folders.palace, context.terminal);
  try {
    const listed = palace.snapshot(() => listOf(what, palace, query, context.terminal));
    print(what, listed, query, context.terminal);
    return EXIT.done;
  } finally {
    palace.close();
  }
}

function listOf(what: string, palace: Palace, query: Query, terminal: Terminal): Listed {
  switch (what) {
    case 'wings':
      return listWings(palace, query);
    case 'rooms':
      return listRooms(palace, query);
    case 'sources':
      return listSources(palace, query, terminal);
    default:
      return listRuns(palace, query);
  }
}

/** @throws UserError `usage` */
function queryOf(what: string, flags: ListFlags): Query {
  const takes: Record<(typeof LISTS)[number], string[]> = {
    wings: [],
    rooms: ['wing'],
    sources: ['wing', 'room'],
    runs: [],
  };
  const taken: string[] = Object.entries(takes).find(([name]) => name === what)?.[1] ?? [];
  for (const name of ['wing', 'room'] as const) {
    if (flags[name] !== undefined && !taken.includes(name))
      throw new UserError('usage', `--${name} is not for list ${what}`);
  }
  const most = what === 'wings' || what === 'rooms' ? Number.MAX_SAFE_INTEGER : ROWS_SHOWN;
  return {
    wing: flags.wing,
    room: flags.room,
    limit: flags.limit === undefined ? most : parseCount('--limit', flags.limit, 1),
    offset: flags.offset === undefined ? 0 : parseCount('--offset', flags.offset, 0),
  };
}

const NUMBER: Column = { align: 'right' };

function listWings(palace: Palace, { limit, offset }: Query): Listed {
  const all = palace.listing.wings();
  const wings = all.slice(offset, offset + limit);
  return {
    json: { total: all.length, rows: wings },
    columns: [{ style: 'cyan', share: 0.5 }, NUMBER, NUMBER, NUMBER],
    rows: wings.map(({ wing, rooms, sources, drawers }) => [
      BAR + line(wing),
      plural(drawers, 'drawer'),
      plural(sources, 'source'),
      plural(rooms, 'room'),
    ]),
  };
}

function listRooms(palace: Palace, { wing, limit, offset }: Query): Listed {
  const all = palace.rooms().filter((room) => wing === undefined || room.wing === wing);
  const rooms = all.slice(offset, offset + limit);
  return {
    json: { total: all.length, rows: rooms },
    columns: [{ style: 'cyan', share: 0.3 }, { share: 0.3 }, NUMBER, NUMBER],
    rows: rooms.map((room) => [
      BAR + line(room.wing),
      line(room.room),
      plural(room.drawers, 'drawer'),
      plural(room.sources, 'source'),
    ]),
  };
}

function listSources(palace: Palace, { limit, offset, ...place }: Query, terminal: Terminal): Listed {
  const sources = palace.listing.sources(place, { limit, offset });
  const json = { total: palace.listing.countSources(place), rows: sources.map(sourceRow) };
  const places = sources.map(({ wing, room }) => BAR + line(`${wing}/${room}`));
  const names = sources.map(
    ({ title, sourceFile }) => line(title ?? '') || line(sourceFile.slice(sourceFile.lastIndexOf('/') + 1)),
  );
  const sizes = sources.map(({ drawers }) => plural(drawers, 'drawer'));
  if (terminal.width === undefined) {
    const rows = sources.map(({ day, sourceKey }, index) =>
      [day, places[index], names[index], sizes[index], line(sourceKey)].map((field) => field ?? ''),
    );
    return { json, columns: [], rows };
  }
  // Beside a title there is no room for what `mempalace show` wants to hear: it stands below.
  const rows = sources.map(({ day }, index) => [day, sizes[index] ?? '', BAR + (names[index] ?? '')]);
  const below = sources.map(
    ({ sessionId, sourceKey }, index) => `${places[index]}  ${line(sessionId ?? sourceKey)}`,
  );
  return { json, columns: [{}, NUMBER, { style: 'bold' }], rows, below };
}

function sourceRow(source: ListedSource): Record<string, unknown> {
  return {
    ...sourceJson(source, source.drawers),
    date: source.day,
    chars: source.chars,
    filed_at: source.filedAt,
    priority: source.priority,
    priority_from: source.priorityFrom,
    pinned: source.pinned === 1,
  };
}

function listRuns(palace: Palace, { limit, offset }: Query): Listed {
  const holder = lockHolder(join(palace.folder, 'run.lock'));
  const runs = palace.runs.latest(limit, { offset }).map((run) => runJson(run, holder));
  return {
    json: { total: null, rows: runs },
    columns: [NUMBER, {}, { share: 0.25 }, {}, { style: 'dim', share: 0.4 }],
    rows: runs.map((run) => [
      String(run.id),
      minuteOf(run.started),
      line(run.command),
      run.exit_code === null ? (run.running ? 'running' : 'did not end') : `exit ${run.exit_code}`,
      whatItDid(run),
    ]),
  };
}

/** A run that was stopped leaves no counts. */
function whatItDid(run: RunJson): string {
  const counts: [number | null, string][] = [
    [run.new, 'new'],
    [run.changed, 'changed'],
    [run.removed, 'removed'],
  ];
  const parts = counts.flatMap(([count, name]) => (count ? [`${count} ${name}`] : []));
  if (run.new !== null && parts.length === 0) parts.push('nothing new');
  if (run.drawers_added) parts.push(`${plural(run.drawers_added, 'drawer')} filed`);
  if (run.seconds !== null) parts.push(formatSeconds(run.seconds));
  return parts.join(', ');
}

function print(what: string, { json, columns, rows, below }: Listed, query: Query, terminal: Terminal): void {
  if (terminal.options.json) {
    const limit = query.limit === Number.MAX_SAFE_INTEGER ? null : query.limit;
    terminal.json({ list: what, total: json.total, offset: query.offset, limit, [what]: json.rows });
    return;
  }
  const { width, style } = terminal;
  if (what !== 'runs' && rows.length > 0) terminal.note(`${what} (${NOTICE})`);
  for (const [index, row] of renderTable(rows, columns, { width, paint: style }).entries()) {
    terminal.data(row);
    if (below !== undefined)
      terminal.data(style('dim', `  ${shorten(below[index] ?? '', (width ?? 0) - 2)}`));
  }
  const shown = query.offset + rows.length;
  if (rows.length === 0)
    terminal.note(query.offset > 0 ? `no ${what} from ${query.offset + 1} on` : `no ${what}`);
  else if (json.total !== null && shown < json.total)
    terminal.note(`${query.offset + 1}–${shown} of ${json.total}; --offset ${shown} shows more`);
}
