import type { Part } from '../../core/parts.js';
import { isEchoLine, readsPalace } from '../../sanitiser/index.js';
import { Cleaner } from '../staging/cleaner.js';
import { keptCopyKey } from './facts.js';
import type { Entry, Turn } from './turns.js';

/**
 * Writes the transcript of any program as Claude Code JSONL, one turn per line, each with its line break.
 *
 * @param head the first line, sanitised
 * @param leftOut turn numbers
 */
export async function* stagedLines(
  head: object,
  entries: AsyncIterable<Entry>,
  leftOut: ReadonlySet<number>,
  cleaner: TranscriptCleaner,
): AsyncGenerator<string> {
  yield lineOf({ type: 'session-header', ...head });
  let number = 0;
  for await (const entry of entries) {
    if (entry.kind === 'malformed') {
      cleaner.malformed.push(entry.line === 0 ? entry.reason : `line ${entry.line}: ${entry.reason}`);
    } else if (entry.kind === 'turn') {
      if (leftOut.has(number++)) {
        if (entry.id !== undefined) cleaner.omitted.push(entry.id);
        continue;
      }
      const turn = await cleaner.turn(entry);
      // An empty turn does not count, but is written: otherwise its message would seem to be lost.
      if (turn.parts.length > 0) cleaner.lines += 1;
      yield turnLine(turn);
    } else if (entry.kind === 'summary') {
      const copyKey = keptCopyKey(entry)?.key;
      if (copyKey !== undefined && leftOut.has(number++)) continue;
      cleaner.lines += 1;
      const { compaction } = entry;
      yield lineOf({ type: 'summary', summary: await cleaner.text(entry.text), copyKey, compaction });
    } else if (entry.branch !== undefined || entry.compaction !== undefined) {
      const { branch, compaction } = entry;
      yield lineOf({ type: 'fact', branch: branch && (await cleaner.text(branch)), compaction });
    }
  }
}

function turnLine(turn: Turn): string {
  const { role, parts, id, at, spoken, compaction, subagent } = turn;
  return lineOf({
    type: role,
    message: { role, content: parts.map(blockOf) },
    messageId: id,
    copyKey: keptCopyKey(turn)?.key,
    timestamp: at !== undefined && ISO.test(at) ? at : undefined,
    isMeta: role === 'user' && !spoken ? true : undefined,
    isSidechain: subagent,
    compaction,
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

/** Removes from a transcript what must not be stored, and what the palace itself said in it. Counts as it is written. */
export class TranscriptCleaner extends Cleaner {
  /** Lines of turns and summaries. */
  lines = 0;
  /** Unreadable lines, as `line 3: not JSON`. */
  readonly malformed: string[] = [];
  /** Ids of messages that are left out, because other sources contain them. */
  readonly omitted: string[] = [];
  /** Ids of calls that read the palace: their results quote it. */
  readonly #reading = new Set<string>();

  /** The cleaned turn, without texts that became empty. */
  async turn(turn: Turn): Promise<Turn> {
    const parts: Part[] = [];
    for (const part of turn.parts) {
      const cleaned = await this.#part(part, turn.role);
      if (cleaned.kind !== 'text' || cleaned.text.trim() !== '') parts.push(cleaned);
    }
    // Text that a hook injected in the user's name is not a question.
    const isEcho = (part: Part) => part.kind === 'text' && isEchoLine(part.text.trim());
    const injected = turn.role === 'user' && parts.length > 0 && parts.every(isEcho);
    return { ...turn, parts, spoken: turn.spoken && !injected };
  }

  async #part(part: Part, role: Turn['role']): Promise<Part> {
    if (part.kind === 'call') {
      if (part.id !== undefined && readsPalace(part.name, part.input)) this.#reading.add(part.id);
      const input = await this.value(part.input);
      return { ...part, name: await this.text(part.name), input };
    }
    if (part.kind === 'text') {
      if (role === 'assistant') return { ...part, text: await this.text(part.text) };
      return { ...part, text: await this.text(this.unquoted(part.text), 'turn') };
    }
    const reads = part.id !== undefined && this.#reading.has(part.id) && !part.error;
    return { ...part, text: await this.text(this.unquoted(part.text, reads), 'result') };
  }
}
