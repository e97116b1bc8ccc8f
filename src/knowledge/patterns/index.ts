/** What recurs in the palace: failures of sessions with their fixes, and what was written with a type. */
import { dayOfMoment } from '../../core/day.js';
import { groupBy } from '../../core/group-by.js';
import type { PatternKind } from '../../core/pattern-kinds.js';
import type { Palace } from '../../store/index.js';
import { readDiary } from '../diary/read.js';
import { type Pattern, type PatternQuery, recurringErrors } from './errors.js';

interface PatternPage {
  /** Default: all but `fix`. */
  kind?: PatternKind | undefined;
  limit: number;
  offset: number;
}

/** Patterns of a kind, or of all but fixes, those of most sessions or entries first. */
export function patternsIn(
  palace: Palace,
  { kind, limit, offset, ...query }: PatternQuery & PatternPage,
): { patterns: Pattern[]; total: number } {
  return palace.snapshot(() => {
    const found = kind === undefined || kind === 'error' ? recurringErrors(palace, 'error', query) : [];
    if (kind === 'fix') found.push(...recurringErrors(palace, kind, query));
    // The others are about no file, and of no folder.
    const isOfAll = query.file === undefined && query.directory === undefined;
    for (const written of isOfAll ? WRITTEN_KINDS : [])
      if (kind === undefined || kind === written) found.push(...writtenPatterns(palace, written, query));
    return { patterns: found.slice(offset, offset + limit).map((read) => read()), total: found.length };
  });
}

const WRITTEN_KINDS = ['decision', 'preference', 'architecture'] as const;
type WrittenKind = (typeof WRITTEN_KINDS)[number];

/** Predicates of facts that have a kind by themselves. */
const PREDICATES: Readonly<Record<WrittenKind, readonly string[]>> = {
  decision: ['decision', 'decided'],
  preference: ['preference', 'prefers'],
  architecture: ['architecture'],
};

/** Entries, and facts of each predicate, that are compared. */
const NEWEST = 2_000;
const LEAST = 2;

/**
 * Diary entries with the kind as their topic, and facts with it as their predicate, that say the same more than once. Nothing
 * is guessed from words.
 */
function writtenPatterns(
  palace: Palace,
  kind: WrittenKind,
  { occurrences: most }: Pick<PatternQuery, 'occurrences'>,
): (() => Pattern)[] {
  const said = [...entries(palace, kind), ...facts(palace, kind)].sort((a, b) =>
    a.day < b.day ? 1 : a.day > b.day ? -1 : 0,
  );
  const same = groupBy(said, ({ text }) => text.replace(/\s+/g, ' ').trim().toLowerCase());
  const recurring = [...same.values()].filter(({ length }) => length >= LEAST);
  recurring.sort((a, b) => b.length - a.length);
  return recurring.map((all) => () => {
    const occurrences = all.slice(0, most).map(({ text: _, ...occurrence }) => ({
      ...occurrence,
      command: null,
      file: null,
      fix: null,
    }));
    return { kind, tool: null, text: all[0]?.text ?? '', count: all.length, occurrences };
  });
}

function entries(palace: Palace, topic: WrittenKind) {
  return readDiary(palace, { topic, limit: NEWEST, offset: 0 }).entries.map(
    ({ content, entry_id, timestamp }) => ({
      text: content.trim(),
      drawer_id: palace.reading.firstDrawerOf(entry_id)[0] ?? null,
      day: dayOfMoment(timestamp),
      source: entry_id,
    }),
  );
}

function facts(palace: Palace, kind: WrittenKind) {
  return PREDICATES[kind]
    .flatMap((predicate) => palace.facts.query({ predicate }, { limit: NEWEST, offset: 0 }).facts)
    .map(({ object, source_drawer_id, recorded_at, triple_id }) => ({
      text: object,
      drawer_id: source_drawer_id,
      day: dayOfMoment(recorded_at),
      source: triple_id,
    }));
}
