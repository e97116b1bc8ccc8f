import type { Part } from '../../core/parts.js';
import type { TranscriptCleaner } from './cleaner.js';
import { inRanges } from './copies.js';
import { keptCopyKey } from './facts.js';
import type { Entry, Turn } from './turns.js';

/** The first line of a staged transcript, sanitised. */
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
  /** Unreadable lines, as `line 3: not JSON`. */
  malformed: string[];
}

/**
 * Writes the transcript of any program as Claude Code JSONL, one turn per line, each with its line break.
 *
 * @param leftOut ranges of turn numbers, end exclusive
 */
export async function* stagedLines(
  head: StagedHead,
  entries: AsyncIterable<Entry>,
  leftOut: readonly (readonly [number, number])[],
  cleaner: TranscriptCleaner,
  counts: LineCounts,
): AsyncGenerator<string> {
  yield lineOf({ type: 'session-header', ...head });
  const isLeftOut = inRanges(leftOut);
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
      // An empty turn does not count, but is written: otherwise its message would seem to be lost.
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
