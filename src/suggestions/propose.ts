import { dayOf } from '../core/day.js';
import { groupBy } from '../core/group-by.js';
import { sha256 } from '../core/hash.js';
import { ARCHIVE_ROOM, HALL_ROOM, REFLECTION_ROOM } from '../core/palace-rooms.js';
import { pathOfKey } from '../core/source-key.js';
import { type Output, STEPS, type Step } from '../core/suggestions.js';
import type { Palace, UsedSource } from '../store/index.js';
import { type KnownUses, readUses } from '../uses/log.js';

/** Uses that were counted for a shorter time do not show what is never used. */
export const LEAST_COUNTED_DAYS = 30;
/** Proposals per step: a person reads them. */
const MOST = 20;
const DAY_MS = 86_400_000;

interface Asked {
  least_uses: number;
  old_days: number;
  cold: readonly string[];
}

export const dayBefore = (days: number, now: Date): string => dayOf(now.getTime() - days * DAY_MS);

/** What is often used, proved itself, or was never used. It suggests, and changes nothing. */
export function proposalsIn(palace: Palace, { least_uses: leastUses, old_days, cold }: Asked, now: Date) {
  const { since = null, drawers } = readUses(palace.folder);
  return palace.snapshot(() => {
    const sources = palace.suggestions.sources();
    const observed = since !== null && since <= dayBefore(LEAST_COUNTED_DAYS, now);
    const limits = { leastUses, oldBefore: dayBefore(old_days, now), cold, observed };
    const taken = new Map<Step, number>();
    const proposals = propose(sources, bySource(palace, drawers), limits).filter(({ step }) => {
      taken.set(step, (taken.get(step) ?? 0) + 1);
      return (taken.get(step) ?? 0) <= MOST;
    });
    const roots = new Map(palace.projects.all().map(({ id, root }) => [id, root]));
    return { since, used: drawers.size, proposals, roots, wings: rootsOf(sources, roots) };
  });
}

function bySource(palace: Palace, drawers: KnownUses['drawers']): Map<number, Used> {
  const rows = palace.suggestions.sourcesOf([...drawers.keys()]).flatMap(({ drawer_id, source_id }) => {
    const uses = drawers.get(drawer_id);
    return uses === undefined ? [] : { ...uses, drawer_id, source_id };
  });
  const used = [...groupBy(rows, ({ source_id }) => source_id)].map(([id, all]) => {
    const sum = (name: 'found' | 'opened') => all.reduce((total, each) => total + each[name], 0);
    const most = all.reduce((a, b) => (b.found + b.opened > a.found + a.opened ? b : a));
    const days = new Set(all.flatMap((each) => [...each.days])).size;
    return [id, { drawer_id: most.drawer_id, found: sum('found'), opened: sum('opened'), days }] as const;
  });
  return new Map(used);
}

function rootsOf(sources: readonly UsedSource[], roots: ReadonlyMap<string, string>): string[] {
  const wings = sources.filter(({ room }) => room === REFLECTION_ROOM);
  return [...new Set(wings.flatMap(({ project_id }) => roots.get(project_id ?? '') ?? []))].sort();
}

interface UseCounts {
  found: number;
  opened: number;
  days: number;
}

export interface Proposal extends UseCounts {
  /** The same for the same step and source, or room. */
  id: string;
  step: Step;
  /** Of `reflect`: what it would become. */
  output: Output | null;
  wing: string;
  room: string;
  title: string | null;
  /** Null for a room. */
  source_key: string | null;
  /** Of a source that was used: its most used drawer. */
  drawer_id: string | null;
  project_id: string | null;
  /** Day of the newest content. */
  day: string;
}

export interface Used extends UseCounts {
  drawer_id: string;
}

export interface Limits {
  /** Uses, on at least two days, that make a source worth a reflection. */
  leastUses: number;
  /** Content before this day is old. */
  oldBefore: string;
  /** Whether uses were counted long enough to say that something was never used. */
  observed: boolean;
  /** `wing` or `wing/room`. */
  cold: readonly string[];
}

/** One long session does not make anything important. */
const LEAST_DAYS = 2;
const ID_DIGITS = 8;
/** Documents that a layout or a command wrote. */
const OWN_FILE = /(?:^|\/)(?:README|room_map)\.md$/;

/** What is worth a step, by rules alone: uses, days and priorities. The most used first, then the oldest. */
export function propose(
  sources: readonly UsedSource[],
  uses: ReadonlyMap<number, Used>,
  limits: Limits,
): Proposal[] {
  const written = sources.filter(({ room }) => room === REFLECTION_ROOM).map(({ source_key }) => source_key);
  const archives = new Set(
    sources.filter(({ room }) => room === ARCHIVE_ROOM).map(({ project_id }) => project_id),
  );
  const proposals = sources.flatMap((source) => {
    const used = uses.get(source.id);
    if (source.kind === 'document' && OWN_FILE.test(pathOfKey(source.source_key))) return [];
    if (used !== undefined) return isOften(used, limits) ? (grown(source, used, written) ?? []) : [];
    const isArchivable =
      isStale(source, uses, limits) && source.project_id !== null && archives.has(source.project_id);
    return isArchivable && !isApart(source, limits) ? proposalOf('archive', source) : [];
  });
  const rooms = coldRooms(sources, uses, limits);
  return [...proposals, ...rooms].sort(
    (a, b) =>
      STEPS.indexOf(a.step) - STEPS.indexOf(b.step) ||
      b.found + b.opened - a.found - a.opened ||
      (a.day < b.day ? -1 : a.day > b.day ? 1 : a.id < b.id ? -1 : 1),
  );
}

function isOften({ found, opened, days }: UseCounts, { leastUses }: Limits): boolean {
  return found + opened >= leastUses && days >= LEAST_DAYS;
}

function isStale(source: UsedSource, uses: ReadonlyMap<number, Used>, limits: Limits): boolean {
  return limits.observed && source.valued === 0 && source.day < limits.oldBefore && !uses.has(source.id);
}

/** The step up of a source that is often used. */
function grown(source: UsedSource, used: Used, written: readonly string[]): Proposal | undefined {
  if (source.room === HALL_ROOM) return undefined;
  if (source.room === REFLECTION_ROOM)
    return source.pinned === 1 ? undefined : { ...proposalOf('constitution', source), ...used };
  const proposal = { ...proposalOf('reflect', source), ...used, output: outputOf(source) };
  // The document that `--apply` wrote has the digits of the id in its name.
  const digits = proposal.id.split('-').at(-1) ?? '';
  return written.some((key) => key.endsWith(`-${digits}.md`)) ? undefined : proposal;
}

function outputOf({ kind, fixed }: UsedSource): Output {
  if (fixed === 1) return 'failure-pattern';
  return kind === 'document' ? 'principle-card' : 'thinking-path';
}

/** Whether it is cold already, or in a room that has a meaning of its own. */
function isApart({ wing, room }: Pick<UsedSource, 'wing' | 'room'>, { cold }: Limits): boolean {
  const own: readonly string[] = [ARCHIVE_ROOM, HALL_ROOM, REFLECTION_ROOM];
  return own.includes(room) || cold.includes(wing) || cold.includes(`${wing}/${room}`);
}

function coldRooms(
  sources: readonly UsedSource[],
  uses: ReadonlyMap<number, Used>,
  limits: Limits,
): Proposal[] {
  const rooms = groupBy(sources, ({ wing, room }) => `${wing}/${room}`);
  return [...rooms].flatMap(([place, inside]) => {
    const newest = inside.reduce((a, b) => (a.day > b.day ? a : b));
    // A name with a slash cannot be said in `search.cold`.
    if (place.split('/').length !== 2 || isApart(newest, limits)) return [];
    if (!inside.every((source) => isStale(source, uses, limits))) return [];
    return {
      ...proposalOf('cold', newest),
      id: idOf('cold', place),
      title: null,
      source_key: null,
      project_id: null,
    };
  });
}

function proposalOf(step: Step, source: UsedSource): Proposal {
  const { source_key, wing, room, title, project_id, day } = source;
  const uses = { found: 0, opened: 0, days: 0, drawer_id: null };
  return {
    id: idOf(step, source_key),
    step,
    output: null,
    ...{ source_key, wing, room, title, project_id, day },
    ...uses,
  };
}

function idOf(step: Step, name: string): string {
  return `${step}-${sha256(`${step}\0${name}`).slice(0, ID_DIGITS)}`;
}
