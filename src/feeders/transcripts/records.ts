import * as field from '../../core/fields.js';
import { parseJson } from '../../core/json.js';
import { readLines } from '../../platform/jsonl.js';
import { regularText } from '../../platform/regular-file.js';
import { DamagedLines, type RecordLine } from './damaged-lines.js';
import type { ConversationFiles } from './harness.js';
import { type Entry, malformed } from './turns.js';

/** Limit for a file next to a transcript, which contains a title or a folder. */
const MOST_BYTES = 64 * 1024 * 1024;

export type { RecordLine } from './damaged-lines.js';

/**
 * The records of JSONL files, one in memory at a time. Of a damaged line, the complete records are returned; what is lost is
 * reported.
 *
 * @throws the file system's error
 */
export async function* jsonRecords({
  files,
  lines,
}: Pick<ConversationFiles, 'files' | 'lines'>): AsyncGenerator<RecordLine> {
  for (const { path, range } of files) {
    const damaged = new DamagedLines();
    if (lines !== undefined) {
      // Waiting for each of many lines in memory would take most of the time.
      for (const line of lines) for (const record of damaged.records(line)) yield record;
    } else {
      for await (const line of readLines(path, range?.start))
        for (const record of damaged.records(line)) yield record;
    }
    for (const record of damaged.rest()) yield record;
  }
}

/** Reads record by record. `read` returns undefined for an unknown record. @throws the file system's error */
export async function* readRecords<T>(
  conversation: Pick<ConversationFiles, 'files' | 'lines'>,
  read: (json: unknown, line: number) => Iterable<T> | undefined,
): AsyncGenerator<T | Entry> {
  for await (const line of jsonRecords(conversation)) {
    if ('kind' in line) yield line;
    else yield* read(line.json, line.line) ?? unknownRecord(line.json, line.line);
  }
}

/** An unknown record with a type is skipped; one without a type is malformed. */
export function unknownRecord(json: unknown, line: number): Entry[] {
  return field.text(json, 'type') === undefined ? [malformed('not a transcript record', line)] : [];
}

class Incomplete extends Error {}

/** A required field, within `complete`. */
export function required<T>(value: T | undefined): T {
  if (value === undefined) throw new Incomplete();
  return value;
}

/** Reads a record of a known type; reports it if a required field is missing. */
export function complete<T>(type: string, line: number, read: () => T[]): (T | Entry)[] {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof Incomplete)) throw error;
    return [malformed(`${type} without its required fields`, line)];
  }
}

/** The text of a file next to a transcript; undefined when it is missing, unreadable or too large. */
export function sideText(path: string): string | undefined {
  try {
    return regularText(path, MOST_BYTES);
  } catch {
    return undefined;
  }
}

/** The same as JSON; undefined also when it is not JSON. */
export function sideJson(path: string): unknown {
  return parseJson(sideText(path) ?? '');
}
