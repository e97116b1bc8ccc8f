import { importanceOf, recencyOf } from '../core/importance.js';
import { quotable } from '../core/outside.js';
import type { Palace, Remembered, WakeUpPlace } from '../store/index.js';
import {
  composeWakeUp,
  type Elsewhere,
  type Holding,
  type Memory,
  type RecurringError,
  type WakeUpText,
} from './wake-up-text.js';

export interface WakeUpOptions {
  /** Longest text, estimated tokens. */
  tokens: number;
  /** The part of the palace, without cold places. */
  place: WakeUpPlace;
  /** The agent whose diary is shown, as in its keys; undefined: all diaries of the place. */
  agent?: string | undefined;
  identity: string | undefined;
  /** Errors that recur in the folder, best first. */
  errors?: readonly RecurringError[] | undefined;
  /** Shares of recency and importance in the order; scaled to a sum of 1, equal when both are 0. */
  weights: { recency: number; importance: number };
  halfLifeDays: number;
  /** Epoch milliseconds from which recency is counted. */
  now: number;
  /** Complete lines after the first one, within the budget. */
  before?: readonly string[] | undefined;
}

export interface WakeUp extends WakeUpText {
  /** Most drawers first. */
  holdings: Holding[];
  /** In place of holdings, outside of all projects. */
  elsewhere?: Elsewhere;
}

/** The shortest useful memory, tokens: it limits how many are looked up. */
const SHORTEST = 15;
const MOST_LOOKED_UP = 400;
/** Older entries are for `mempalace diary read`. */
const DIARY_ENTRIES = 5;
/** Characters read of a drawer's text per token of the budget. */
const CHARS_PER_TOKEN = 4;

/** What an agent should know at the start: identity, important memories, the last diary entries and sessions, holdings. */
export function wakeUp(palace: Palace, options: WakeUpOptions): WakeUp {
  const { place, tokens } = options;
  const limit = Math.min(MOST_LOOKED_UP, Math.ceil(tokens / SHORTEST) + 1);
  const found = palace.snapshot(() => ({
    drawers: palace.wakeUp.importantDrawers(place, limit),
    sources: palace.wakeUp.importantSources(place, limit),
    diary: palace.wakeUp.recentDiary(place, options.agent, Math.min(limit, DIARY_ENTRIES)),
    sessions: palace.wakeUp.recentSessions(place, limit),
    holdings: holdingsOf(palace, place),
    projects: palace.projects.all().length,
  }));
  const elsewhere =
    place.wing === undefined && place.own !== undefined
      ? { projects: found.projects, ...totalOf(found.holdings) }
      : undefined;
  const holdings = elsewhere === undefined ? found.holdings : [];
  const important = new Set(found.drawers.map(({ drawerId }) => drawerId));
  const sources = found.sources.filter(({ drawerId }) => !important.has(drawerId));
  const marked = new Set(sources.map(({ sourceKey }) => sourceKey));
  const memory = (row: Remembered, kind: Memory['kind']) => memoryOf(row, kind, options);
  const text = composeWakeUp({
    tokens,
    before: options.before,
    identity: quotable(options.identity ?? ''),
    important: [
      ...found.drawers.map((row) => memory(row, 'drawer')),
      ...sources.map((row) => memory(row, row.kind === 'conversation' ? 'session' : 'document')),
    ].sort(byScore),
    errors: (options.errors ?? []).map(cleanError),
    diary: found.diary.filter(({ sourceKey }) => !marked.has(sourceKey)).map((row) => memory(row, 'diary')),
    sessions: found.sessions
      .filter(({ sourceKey }) => !marked.has(sourceKey))
      .map((row) => memory(row, 'session'))
      .sort(byScore),
    holdings: holdings.map((holding) => ({ ...holding, name: quotable(holding.name) })),
    wing: place.wing === undefined ? undefined : quotable(place.wing),
    elsewhere,
  });
  return { ...text, holdings, ...(elsewhere && { elsewhere }) };
}

function cleanError(error: RecurringError): RecurringError {
  const { tool, subject, message, fix } = error;
  return {
    ...error,
    tool: quotable(tool),
    subject: subject === null ? null : quotable(subject),
    message: quotable(message),
    fix: fix && { edits: fix.edits.map((path) => quotable(path)) },
  };
}

function memoryOf(
  row: Remembered,
  kind: Memory['kind'],
  { weights, halfLifeDays, now, tokens }: WakeUpOptions,
): Memory {
  const pinned = row.pinned === 1;
  const { recency, importance } =
    weights.recency + weights.importance > 0 ? weights : { recency: 1, importance: 1 };
  const text = row.kind === 'document' && row.start === 0 ? withoutFrontMatter(row.text) : row.text;
  // A pin does not age.
  const recent = pinned ? 1 : recencyOf(row.day, now, halfLifeDays);
  return {
    kind,
    drawerId: row.drawerId,
    sourceKey: row.sourceKey,
    sessionId: row.sessionId,
    wing: quotable(row.wing),
    room: quotable(row.room),
    title: quotable(row.title || row.place),
    directory: row.directory === null ? null : quotable(row.directory),
    day: row.day,
    priority: row.priority,
    pinned,
    score: (recency * recent + importance * importanceOf(row.priority, pinned)) / (recency + importance),
    text: quotable(text.slice(0, tokens * CHARS_PER_TOKEN)).trim(),
  };
}

function byScore(a: Memory, b: Memory): number {
  return b.score - a.score;
}

const FENCE = /^\uFEFF?(---|\+\+\+)[ \t]*\r?\n/;
/** `title: …`, `title = …`: distinguishes front matter from a horizontal rule. */
const FIELD = /^["']?[\w.-]+["']?[ \t]*[:=]/;

/** Removes the YAML or TOML front matter at the beginning of a document. It may continue beyond the text. */
function withoutFrontMatter(text: string): string {
  const fence = FENCE.exec(text);
  if (fence === null) return text;
  const rest = text.slice(fence[0].length);
  const lines = rest.split('\n');
  const close = lines.findIndex((line) => line.trimEnd() === fence[1]);
  if (close !== -1) return lines.slice(close + 1).join('\n');
  return FIELD.test(rest) ? '' : text;
}

function totalOf(holdings: readonly Holding[]): { sources: number; drawers: number } {
  const sum = (key: 'sources' | 'drawers') => holdings.reduce((total, holding) => total + holding[key], 0);
  return { sources: sum('sources'), drawers: sum('drawers') };
}

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
