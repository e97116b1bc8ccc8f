import { isTooDeep, mayBeTooDeep, parseJson, TOO_DEEP } from '../../core/json.js';
import { type JsonLine, readLines } from '../../platform/jsonl.js';
import { regularText } from '../../platform/regular-file.js';
import type { ConversationFiles } from './harness.js';
import { type Entry, isObject, malformed } from './turns.js';

const NOT_JSON = 'not JSON (a line that was cut off?)';
const TOO_LONG = 'line longer than 64 MB';
/** Limit for a file next to a transcript, which contains a title or a folder. */
const MOST_BYTES = 64 * 1024 * 1024;

/** A line of a transcript: its JSON, or the reason why it is unreadable. */
export type RecordLine = { line: number; json: unknown } | Extract<Entry, { kind: 'malformed' }>;

/** The records of JSONL files, one in memory at a time. @throws the file system's error */
export async function* jsonRecords({
  files,
  lines,
}: Pick<ConversationFiles, 'files' | 'lines'>): AsyncGenerator<RecordLine> {
  for (const { path, range } of files) {
    // Waiting for each of many lines in memory would take most of the time.
    if (lines !== undefined) for (const line of lines) yield recordOf(line);
    else for await (const line of readLines(path, undefined, range?.start)) yield recordOf(line);
  }
}

function recordOf({ number: line, text }: JsonLine): RecordLine {
  if (text === undefined) return malformed(TOO_LONG, line);
  const json = parseJson(text);
  if (json === undefined) return malformed(NOT_JSON, line);
  return mayBeTooDeep(text) && isTooDeep(json) ? malformed(TOO_DEEP, line) : { line, json };
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
  return typeOf(json) === undefined ? [malformed('not a transcript record', line)] : [];
}

/** The `type` of a record. Much cheaper than a schema that does not match. */
export function typeOf(json: unknown): string | undefined {
  return isObject(json) && typeof json.type === 'string' ? json.type : undefined;
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
