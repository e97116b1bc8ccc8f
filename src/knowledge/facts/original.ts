import { z } from 'zod';
import { issueText } from '../../core/issues.js';
import { factId } from './add.js';
import type { FactRow } from './exchange.js';
import { parseInstant, secondText } from './instant.js';
import { entityOf, type FactWords, predicateOf } from './names.js';

const text = z.string().nullable().default(null);

/** A row of the graph of MemPalace (Python), with the names of its entities. Old versions lack some of the columns. */
const originalRow = z.object({
  subject: z.string(),
  predicate: z.string(),
  object: z.string(),
  valid_from: text,
  valid_to: text,
  confidence: z.number().min(0).max(1).nullable().default(null),
  source_closet: text,
  source_file: text,
  source_drawer_id: text,
  adapter_name: text,
  extracted_at: text,
});
type OriginalRow = z.infer<typeof originalRow>;

const DAY = /^\d{4}-\d{2}-\d{2}$/;
const MS_A_DAY = 86_400_000;

/**
 * Converts rows of MemPalace's graph to rows of an export; an error replaces an invalid row. The same row always has the
 * same id: a fact that has ended in MemPalace since is ended by the next import.
 *
 * In MemPalace a day as an end means its last second, here its first one: the next day is used. Where a successor begins on
 * that very day, both mean the same.
 */
export function rowsOfOriginal(rows: readonly unknown[], now: Date): unknown[] {
  const parsed = rows.map((row) => originalRow.safeParse(row));
  const begins = new Set(
    parsed.flatMap(({ data }) => (data === undefined ? [] : [beginningOf(data, data.valid_from)])),
  );
  const occurrences = new Map<string, number>();
  const exported = ({ adapter_name, extracted_at, ...row }: OriginalRow): FactRow => {
    const parts = [
      entityOf('subject', row.subject).id,
      predicateOf(row.predicate),
      entityOf('object', row.object).id,
      row.valid_from === null ? '' : parseInstant('valid_from', row.valid_from),
    ];
    const key = parts.join('\0');
    const occurrence = occurrences.get(key) ?? 0;
    occurrences.set(key, occurrence + 1);
    return {
      ...row,
      triple_id: factId(parts, occurrence),
      valid_to: begins.has(beginningOf(row, row.valid_to)) ? row.valid_to : dayAfter(row.valid_to),
      confidence: row.confidence ?? 1,
      source_key: null,
      added_by: adapter_name ?? 'mempalace',
      recorded_at: recorded_at(extracted_at, now),
    };
  };
  return parsed.map(({ data, error }) => {
    if (data === undefined) return new Error(issueText(error.issues[0], 'the row'));
    try {
      return exported(data);
    } catch (invalid) {
      return invalid;
    }
  });
}

function beginningOf({ subject, predicate }: FactWords, moment: string | null): string {
  return JSON.stringify([subject.toLowerCase(), predicate.toLowerCase(), moment]);
}

function dayAfter(moment: string | null): string | null {
  if (moment === null || !DAY.test(moment)) return moment;
  const day = new Date(Date.parse(parseInstant('valid_to', moment)) + MS_A_DAY);
  return secondText(day).slice(0, 10);
}

/** A time without a zone is UTC. */
function recorded_at(text: string | null, now: Date): string {
  const moment = /^(\d{4}-\d{2}-\d{2})[T ](\d{2}:\d{2}:\d{2})/.exec(text ?? '');
  const date = moment === null ? now : new Date(`${moment[1]}T${moment[2]}Z`);
  return (Number.isNaN(date.getTime()) ? now : date).toISOString();
}
