import type { Part } from '../../core/parts.js';
import type { TranscriptCleaner } from './cleaner.js';
import { inStretches } from './copies.js';
import { keptCopyKey } from './facts.js';
import type { Entry, Turn } from './turns.js';

/** What a staged transcript says of itself in its first line, sanitised. */
export interface StagedHead {
  harness: string;
  sessionId: string | undefined;
  agentId: string | undefined;
  title: string | undefined;
  cwd: string | undefined;
}

/** Counted while a transcript is written. */
export interface LineCounts {
  /** Lines of turns and summaries. */
  lines: number;
  /** What could not be read, as `line 3: not JSON`. */
  malformed: string[];
}

/** The type of the first line, which is no turn. */
const HEAD = 'session-header';

/**
 * A transcript of any program as Claude Code JSONL, line by line, each with its line break. A turn is a line, so
 * that what the miner makes of the file is what it would make of the original.
 *
 * @param leftOut turns by number, the end not included
 */
export async function* stagedLines(
  head: StagedHead,
  entries: AsyncIterable<Entry>,
  leftOut: readonly (readonly [number, number])[],
  cleaner: TranscriptCleaner,
  counts: LineCounts,
): AsyncGenerator<string> {
  yield lineOf({ type: HEAD, ...head });
  const isLeftOut = inStretches(leftOut);
  let number = 0;
  for await (const entry of entries) {
    if (entry.kind === 'malformed') {
      counts.malformed.push(entry.line === 0 ? entry.reason : `line ${entry.line}: ${entry.reason}`);
    } else if (entry.kind === 'summary') {
      const { copyKey } = entry;
      if (copyKey !== undefined) number += 1;
      if (copyKey !== undefined && isLeftOut(number - 1)) continue;
      counts.lines += 1;
      const key = copyKey === undefined ? {} : { copyKey: keptCopyKey(copyKey.key) };
      yield lineOf({ type: 'summary', summary: await cleaner.text(entry.text), ...key });
    } else if (entry.kind === 'turn') {
      number += 1;
      if (isLeftOut(number - 1)) continue;
      const turn = await cleaner.turn(entry);
      // One of which nothing is left does not count, but it is there: else it would seem to be lost.
      if (turn.parts.length > 0) counts.lines += 1;
      yield turnLine(turn);
    }
  }
}

function turnLine({ role, parts, id, at, spoken, copyKey }: Turn): string {
  return lineOf({
    type: role,
    message: { role, content: parts.map(blockOf) },
    messageId: id,
    copyKey: copyKey === undefined ? undefined : keptCopyKey(copyKey.key),
    timestamp: at !== undefined && ISO.test(at) ? at : undefined,
    isMeta: role === 'user' && !spoken ? true : undefined,
  });
}

const ISO = /^\d{4}-\d{2}-\d{2}[\dT:.Z+-]{0,30}$/;

function blockOf(part: Part): object {
  if (part.kind === 'text') return { type: 'text', text: part.text };
  if (part.kind === 'call') return { type: 'tool_use', id: part.id, name: part.name, input: part.input };
  const error = part.error ? { is_error: true } : {};
  return { type: 'tool_result', tool_use_id: part.id, content: part.text, ...error };
}

function lineOf(record: object): string {
  return `${JSON.stringify(record)}\n`;
}
