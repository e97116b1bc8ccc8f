import { groupBy } from '../../core/group-by.js';
import type { Palace } from '../../store/index.js';
import { readDiary } from '../diary/read.js';
import type { Pattern } from './pattern.js';

export const WRITTEN_KINDS = ['decision', 'preference', 'architecture'] as const;
type WrittenKind = (typeof WRITTEN_KINDS)[number];

/** Predicates of facts that have a kind by themselves. */
const PREDICATES: Readonly<Record<WrittenKind, readonly string[]>> = {
  decision: ['decision', 'decided'],
  preference: ['preference', 'prefers'],
  architecture: ['architecture'],
};

/** Entries and facts that are compared. */
const NEWEST = 2_000;
const LEAST = 2;

/**
 * Diary entries with the kind as their topic, and facts with it as their predicate, that say the same more than once. Nothing
 * is guessed from words.
 */
export function writtenPatterns(palace: Palace, kind: WrittenKind): Pattern[] {
  const said = [...entries(palace, kind), ...facts(palace, kind)];
  const same = groupBy(said, ({ text }) => text.replace(/\s+/g, ' ').trim().toLowerCase());
  const recurring = [...same.values()].filter(({ length }) => length >= LEAST);
  return recurring
    .map((all) => {
      const occurrences = all.map(({ text: _, ...occurrence }) => ({
        ...occurrence,
        command: null,
        file: null,
        fix: null,
      }));
      return { kind, tool: null, text: all[0]?.text ?? '', count: all.length, occurrences };
    })
    .sort((a, b) => b.count - a.count);
}

function entries(palace: Palace, topic: WrittenKind) {
  return readDiary(palace, { topic, limit: NEWEST, offset: 0 }).entries.map(
    ({ content, entryId, timestamp }) => ({
      text: content.trim(),
      drawerId: palace.reading.firstDrawerOf(entryId)[0] ?? null,
      day: timestamp.slice(0, 10),
      source: entryId,
    }),
  );
}

function facts(palace: Palace, kind: WrittenKind) {
  const all = palace.facts.query({}, { limit: NEWEST, offset: 0 }).facts;
  return all
    .filter(({ predicate }) => PREDICATES[kind].includes(predicate))
    .map(({ object, sourceDrawerId, recordedAt, tripleId }) => ({
      text: object,
      drawerId: sourceDrawerId,
      day: recordedAt.slice(0, 10),
      source: tripleId,
    }));
}
