import { isTooDeep, TOO_DEEP } from '../../core/json-depth.js';
import { readLines } from '../../platform/jsonl.js';
import type { Entry } from './entry.js';
import type { ConversationFiles } from './harness.js';

const NOT_JSON = 'not JSON (a line that was cut off?)';
const TOO_LONG = 'line longer than 64 MB';

/** A line of a transcript: what it holds as JSON, or why it cannot be read. */
export type RecordLine = { line: number; json: unknown } | Extract<Entry, { kind: 'malformed' }>;

/**
 * The records of files that have one JSON value on each line, one in memory at a time.
 *
 * @throws the file system's error when a file cannot be read
 */
export async function* jsonRecords({ files }: Pick<ConversationFiles, 'files'>): AsyncGenerator<RecordLine> {
  for (const { path } of files) {
    for await (const { number: line, text } of readLines(path)) {
      if (text === undefined) {
        yield { kind: 'malformed', line, reason: TOO_LONG };
        continue;
      }
      let json: unknown;
      try {
        json = JSON.parse(text);
      } catch {
        yield { kind: 'malformed', line, reason: NOT_JSON };
        continue;
      }
      if (isTooDeep(json)) yield { kind: 'malformed', line, reason: TOO_DEEP };
      else yield { line, json };
    }
  }
}

/** A record that a reader has no use for: named by its type, or malformed when it has none. */
export function otherRecord(json: unknown, line: number): Entry {
  const type = typeOf(json);
  if (type !== undefined) return { kind: 'ignored', type };
  return { kind: 'malformed', line, reason: 'not a transcript record' };
}

/** The type that a record gives itself: a schema that does not fit costs far more. */
export function typeOf(json: unknown): string | undefined {
  const type = typeof json === 'object' && json !== null ? Reflect.get(json, 'type') : undefined;
  return typeof type === 'string' ? type : undefined;
}

export function textOf(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}

/** What a text holds when it is JSON, else the text itself. */
export function parsedOr(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

/** Text on one line; undefined when nothing is left. */
export function oneLineOf(text: string | undefined): string | undefined {
  return text?.replace(/\s+/g, ' ').trim() || undefined;
}
