import type { Compaction } from '../../../../checkpoint/record.js';
import * as field from '../../../../core/fields.js';
import { sha256 } from '../../../../core/hash.js';
import { compactionSummary, contentAt, contentParts, type Part } from '../../../../core/parts.js';
import type { ConversationFiles } from '../../harness.js';
import { unknownRecord } from '../../records.js';
import { type Entry, malformed, type Turn, turn } from '../../turns.js';
import { isInterruption, programsWords } from './words.js';

/** Reads every record but summaries and titles. @param compaction what the record before a summary says of it */
export function readRecord(
  json: unknown,
  line: number,
  conversation: ConversationFiles,
  compaction: Compaction = {},
): Entry[] {
  const [type, data] = [field.text(json, 'type'), field.object(json)];
  if (type === undefined || data === undefined) return [malformed('not a transcript record', line)];
  const role = type === 'human' ? 'user' : type;
  if (role === 'attachment') {
    // Input while the agent worked: typed by the user, or injected.
    const queued = field.text(data, 'attachment', 'type') === 'queued_command' ? data.attachment : undefined;
    const prompt = contentAt(queued, 'prompt');
    const isMeta = field.value(queued, 'isMeta');
    return prompt === undefined ? [] : [usersTurn(contentParts(prompt), { ...data, isMeta }, conversation)];
  }
  if (role === 'system') {
    // A command that Claude Code answered itself, and its output.
    const said = data.subtype === 'local_command' ? field.text(data, 'content') : undefined;
    const program = said === undefined ? undefined : programsWords(said, conversation);
    return program === undefined ? [] : [turnOf(data, 'user', program.parts, { synthetic: true })];
  }
  if (role !== 'user' && role !== 'assistant') return unknownRecord(json, line);
  const content = contentAt(data, 'message', 'content');
  if (content === undefined) return [malformed(`${role} record without a readable message`, line)];
  const parts = withWholeOutput(contentParts(content), data.toolUseResult);
  if (role === 'user') return [usersTurn(parts, data, conversation, compaction)];
  const message = field.text(data, 'message', 'id');
  const copyKey = copyKeyOf(data, message, parts);
  const synthetic = field.text(data, 'message', 'model') === '<synthetic>';
  const more = { spoken: true, synthetic, message, copyKey };
  return [turnOf(data, 'assistant', parts, { ...more, ...inlineOf(data, conversation) })];
}

/** Before 2.0, a session's transcript also contains those of its sub-agents. */
function inlineOf(
  { isSidechain }: field.Fields,
  { identity }: ConversationFiles,
): Pick<Turn, 'subagent'> | undefined {
  return isSidechain === true && identity.agentId === undefined ? { subagent: true } : undefined;
}

function turnOf(data: field.Fields, role: Turn['role'], parts: Part[], more: Partial<Turn>): Turn {
  const id = field.text(data, 'messageId') ?? field.text(data, 'uuid');
  const copyOf = field.text(data, 'forkedFrom', 'messageUuid');
  return turn(role, parts, { id, at: field.text(data, 'timestamp'), copyOf, ...more });
}

function usersTurn(
  parts: Part[],
  data: field.Fields,
  conversation: ConversationFiles,
  compaction: Compaction = {},
): Turn {
  const copyKey = copyKeyOf(data, undefined, parts);
  if (data.isCompactSummary === true)
    return turnOf(data, 'user', parts.map(compactionSummary), { synthetic: true, copyKey, compaction });
  if (data.isMeta === true) return turnOf(data, 'user', parts, { synthetic: true, copyKey });
  const [first] = parts;
  const alone = parts.length === 1 && first?.kind === 'text';
  const program = alone ? programsWords(first.text, conversation) : undefined;
  if (program !== undefined) return turnOf(data, 'user', parts, { copyKey, ...program });
  const inline = inlineOf(data, conversation);
  // The task that one agent gave another, or only the note of an interruption next to a result.
  const synthetic = inline !== undefined || isInterruption(parts);
  return turnOf(data, 'user', parts, { spoken: !synthetic, synthetic, copyKey, ...inline });
}

/** How the model is told that it sees only 2 KB of an output; a file contains the whole one. */
const PERSISTED = /^\s*<persisted-output>\s*Output too large \((?<size>[\d.]+) ?(?<unit>[KMG]?B)\)[^\n]*/;
const UNITS: Record<string, number> = { B: 1, KB: 1024, MB: 1024 ** 2, GB: 1024 ** 3 };

/** Replaces a command's shortened output by that of the record, which is complete up to about 30,000 characters. */
function withWholeOutput(parts: Part[], printed: unknown): Part[] {
  const [shown, ...others] = parts.filter((part) => part.kind === 'result');
  const stdout = field.text(printed, 'stdout');
  const isImage = field.value(printed, 'isImage') === true;
  if (stdout === undefined || isImage || shown === undefined || others.length > 0) return parts;
  const text = [stdout, field.text(printed, 'stderr')].filter(Boolean).join('\n');
  const containsAll = text.trim().length <= shown.text.length || shown.text.includes(text.trim());
  if (containsAll) return parts;
  const persisted = PERSISTED.exec(shown.text);
  const { size, unit = '' } = persisted?.groups ?? {};
  const isWhole = persisted === null || Buffer.byteLength(text) >= 0.95 * Number(size) * (UNITS[unit] ?? 1);
  // What says where the whole output is stays.
  const more = isWhole ? text : `${persisted[0]}\n${text}\n</persisted-output>`;
  return parts.map((part) => (part === shown ? { ...shown, text: more } : part));
}

/** The record before a compaction's summary; undefined for every other record. */
export function compactionIn(json: unknown): Compaction | undefined {
  const isBoundary =
    field.text(json, 'type') === 'system' && field.text(json, 'subtype') === 'compact_boundary';
  const tokens = isBoundary ? field.object(json, 'compactMetadata') : undefined;
  return (
    tokens && {
      tokensBefore: field.number(tokens, 'preTokens'),
      tokensAfter: field.number(tokens, 'postTokens'),
    }
  );
}

/**
 * Follows the queue of input typed while the agent worked. Delivered input has its own record; input that was still
 * waiting when the session ended is recorded only here.
 */
export class Queue {
  #waiting: { text: string; at: string | undefined }[] = [];

  /** Returns whether the record belongs to the queue. */
  takes(json: unknown): boolean {
    const what = field.text(json, 'type') === 'queue-operation' ? field.text(json, 'operation') : undefined;
    if (what === undefined) return false;
    const [content, at] = [field.text(json, 'content'), field.text(json, 'timestamp')];
    if (what === 'enqueue') this.#waiting.push({ text: content ?? '', at });
    else if (what === 'popAll') this.#waiting = [];
    else {
      const place = content === undefined ? 0 : this.#waiting.findIndex(({ text }) => text === content);
      this.#waiting.splice(Math.max(place, 0), 1);
    }
    return true;
  }

  /** Undelivered input, as turns of the user. */
  rest(): Turn[] {
    return this.#waiting
      .filter(({ text }) => text.trim() !== '' && !text.trimStart().startsWith('<'))
      .map(({ text, at }) => {
        const synthetic = text.startsWith('/');
        return turn('user', text, { at, spoken: !synthetic, synthetic });
      });
  }
}

/**
 * Releases before 2.0 copy a resumed session into a new file, with new ids and times. A copied answer keeps only its
 * message id and its words, a copied user message only its words.
 */
function copyKeyOf(data: field.Fields, messageId: string | undefined, parts: Part[]): Turn['copyKey'] {
  if (!/^[01]\./.test(field.text(data, 'version') ?? '') || parts.length === 0) return undefined;
  const key = sha256(JSON.stringify([messageId ?? null, parts])).slice(0, 24);
  return { key, weak: messageId === undefined };
}
