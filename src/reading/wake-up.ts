import { importanceOf, recencyOf } from '../core/importance.js';
import type { Palace, RememberedDrawer, RememberedSource, WakeUpPlace } from '../store/index.js';
import { withoutFrontMatter } from './front-matter.js';
import { composeWakeUp, type Holding, type Memory, type WakeUpText } from './wake-up-text.js';

export interface WakeUpOptions {
  /** The most that the text may take, see tokens.ts. */
  tokens: number;
  /** Which part of the palace; what is cold is left out by it. */
  place: WakeUpPlace;
  /** Whose diary is told, as its keys have it; undefined: what diaries there are in the place. */
  agent?: string | undefined;
  /** What the identity file says; undefined without one. */
  identity: string | undefined;
  /** Shares of recency and importance in the order; scaled to a sum of 1, equal when both are 0. */
  weights: { recency: number; importance: number };
  halfLifeDays: number;
  /** Epoch milliseconds from which recency is counted. */
  now: number;
  /** Stands before everything, and says that all of it is quoted. */
  notice: string;
  /** Takes out of a text what a terminal would obey. */
  clean: (text: string) => string;
}

export interface WakeUp extends WakeUpText {
  /** Most drawers first. */
  holdings: Holding[];
}

/** Tokens that nothing worth telling is shorter than: so many are looked up. */
const SHORTEST = 15;
const MOST_LOOKED_UP = 400;
/** What was written longer ago is for `mempalace diary read`. */
const DIARY_ENTRIES = 5;
/** Of a drawer's text this much is looked at for each token of the budget. */
const CHARS_PER_TOKEN = 4;

/**
 * What an agent should know at the start, in at most so many tokens: who and where, what was marked as
 * important, the last diary entries and sessions, and what the palace holds.
 */
export function wakeUp(palace: Palace, options: WakeUpOptions): WakeUp {
  const { place, tokens } = options;
  const limit = Math.min(MOST_LOOKED_UP, Math.ceil(tokens / SHORTEST) + 1);
  const found = palace.snapshot(() => ({
    drawers: palace.wakeUp.importantDrawers(place, limit),
    sources: palace.wakeUp.importantSources(place, limit),
    diary: palace.wakeUp.recentDiary(place, options.agent, Math.min(limit, DIARY_ENTRIES)),
    sessions: palace.wakeUp.recentSessions(place, limit),
    holdings: holdingsOf(palace, place),
  }));
  const told = new Set(found.drawers.map(({ drawerId }) => drawerId));
  const sources = found.sources.filter(({ drawerId }) => !told.has(drawerId));
  const marked = new Set(sources.map(({ sourceKey }) => sourceKey));
  const memory = (row: RememberedDrawer | RememberedSource, kind: Memory['kind']) =>
    memoryOf(row, kind, options);
  const text = composeWakeUp({
    tokens,
    notice: options.clean(options.notice),
    identity: options.clean(options.identity ?? ''),
    important: [
      ...found.drawers.map((row) => memory(row, 'drawer')),
      ...sources.map((row) => memory(row, row.kind === 'conversation' ? 'session' : 'document')),
    ].sort(byScore),
    diary: found.diary.filter(({ sourceKey }) => !marked.has(sourceKey)).map((row) => memory(row, 'diary')),
    sessions: found.sessions
      .filter(({ sourceKey }) => !marked.has(sourceKey))
      .map((row) => memory(row, 'session'))
      .sort(byScore),
    holdings: found.holdings.map((holding) => ({ ...holding, name: options.clean(holding.name) })),
  });
  return { ...text, holdings: found.holdings };
}

function memoryOf(
  row: RememberedDrawer | RememberedSource,
  kind: Memory['kind'],
  { weights, halfLifeDays, now, clean, tokens }: WakeUpOptions,
): Memory {
  const pinned = row.pinned === 1;
  const { recency, importance } =
    weights.recency + weights.importance > 0 ? weights : { recency: 1, importance: 1 };
  // A pin does not age.
  const recent = pinned ? 1 : recencyOf(row.day, now, halfLifeDays);
  return {
    kind,
    drawerId: row.drawerId,
    sourceKey: row.sourceKey,
    sessionId: row.sessionId,
    wing: clean(row.wing),
    room: clean(row.room),
    title: clean(row.title || row.place),
    directory: row.directory === null ? null : clean(row.directory),
    day: row.day,
    priority: row.priority,
    pinned,
    score: (recency * recent + importance * importanceOf(row.priority, pinned)) / (recency + importance),
    text: clean(textOf(row).slice(0, tokens * CHARS_PER_TOKEN)).trim(),
  };
}

function textOf({ kind, start, text }: RememberedDrawer | RememberedSource): string {
  return kind === 'document' && start === 0 ? withoutFrontMatter(text) : text;
}

function byScore(a: Memory, b: Memory): number {
  return b.score - a.score;
}

/** From the counts kept with the sources. */
function holdingsOf(palace: Palace, { wing, without = [] }: WakeUpPlace): Holding[] {
  const cold = (of: { wing: string; room: string }) =>
    without.some((place) => place.wing === of.wing && (place.room === undefined || place.room === of.room));
  const holdings = new Map<string, Holding>();
  for (const room of palace.rooms()) {
    if (cold(room) || (wing !== undefined && room.wing !== wing)) continue;
    const name = wing === undefined ? room.wing : room.room;
    const holding = holdings.get(name) ?? { name, sources: 0, drawers: 0 };
    holding.sources += room.sources;
    holding.drawers += room.drawers;
    holdings.set(name, holding);
  }
  return [...holdings.values()].sort((a, b) => b.drawers - a.drawers);
}
