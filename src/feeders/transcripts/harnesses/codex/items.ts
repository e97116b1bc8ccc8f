import { parseJson } from '../../../../core/json.js';
import { type Part, reasoningPart, textPart } from '../../../../core/parts.js';
import * as s from '../../../../core/shape.js';
import { isObject, type Turn, turn, wordsOf } from '../../turns.js';
import type { Outputs } from './outputs.js';
import { answerPart, notePart, personsPart, whoseWords } from './words.js';

/** Response items of Codex, as exchanged with the model's provider. */

export const payloadShape = s.looseObject({ type: s.maybe(s.string) });
export type Payload = s.Shaped<typeof payloadShape>;

/** @param agent such as `/root/helper`; undefined in the session itself, and in releases without names */
export function readItem(payload: Payload, agent: string | undefined, outputs: Outputs): Turn | undefined {
  const kind = payload.type ?? (textOf(payload.role) === undefined ? 'response_item' : 'message');
  if (kind === 'message') {
    if (payload.role === 'user') return userMessage(payload);
    return payload.role === 'assistant' ? turn('assistant', itemParts(payload.content)) : undefined;
  }
  if (kind === 'agent_message') return agentMessage(payload, agent);
  if (kind === 'reasoning') {
    // Encrypted content is left out.
    const parts = [...itemParts(payload.summary), ...itemParts(payload.content)];
    const thoughts = parts.map((part) => reasoningPart(wordsOf([part])));
    return turn('assistant', thoughts);
  }
  if (kind.endsWith('_call')) return turn('assistant', [callOf(kind, payload)]);
  if (kind.endsWith('_call_output')) return turn('user', [resultOf(payload, outputs)]);
  return undefined;
}

const kinds = s.object({ content_item_kinds: s.array(s.string) });

/** A message in the user's name: the user's words, notes of Codex, or both. */
function userMessage(payload: Payload): Turn {
  const named = s.shaped(kinds, payload.internal_chat_message_metadata_passthrough);
  const parts: Part[] = [];
  let spoken = false;
  for (const [number, each] of asList(payload.content).entries()) {
    for (const part of itemParts(each)) {
      const text = wordsOf([part]);
      const whose = whoseWords(text, named?.content_item_kinds[number]);
      if (whose === 'machine') continue;
      spoken ||= whose === 'person';
      parts.push(whose === 'note' ? notePart(text) : part);
    }
  }
  return turn('user', parts, { spoken, synthetic: !spoken });
}

const encrypted = s.object({ encrypted_content: s.string });

/** A message between agents (sub-agents v2): a task starts an exchange, an answer is a result. */
function agentMessage(payload: Payload, agent = '/root'): Turn {
  const texts = asList(payload.content).flatMap((each) => {
    const content = s.shaped(encrypted, each)?.encrypted_content;
    // Some providers leave it unencrypted.
    if (content !== undefined) return /\s/.test(content.trim()) ? [content] : [];
    return itemParts(each).map((part) => wordsOf([part]));
  });
  const author = textOf(payload.author);
  const { text, isAnswer } = personsPart(texts.join(''));
  if (text.trim() === '') return turn('user', [], { synthetic: true });
  const fromBelow = author?.startsWith(`${agent}/`) === true;
  if (isAnswer || fromBelow) return turn('user', [answerPart(author, text)]);
  const spoken = textOf(payload.recipient) === agent;
  return turn('user', text, { spoken, synthetic: !spoken });
}

function asList(content: unknown): unknown[] {
  return Array.isArray(content) ? content : [content];
}

/** The texts of a content or a block. */
function itemParts(content: unknown): Part[] {
  if (Array.isArray(content)) return content.flatMap((each) => (isObject(each) ? itemParts(each) : []));
  if (typeof content === 'string') return [textPart(content)];
  if (!isObject(content)) return [];
  if (typeof content.text === 'string') return [textPart(content.text)];
  return textOf(content.type)?.endsWith('image') === true ? [textPart('[image]')] : [];
}

/** Arguments are JSON for functions, text for custom tools (`apply_patch`), and an action for built-in tools. */
function callOf(kind: string, payload: Payload): Part {
  const name = textOf(payload.name) ?? kind.replace(/_call$/, '');
  const given = payload.arguments ?? payload.input ?? payload.action;
  return { kind: 'call', id: textOf(payload.call_id) ?? textOf(payload.id), name, input: parsedOr(given) };
}

/** The beginning of a failed call's result, as Codex writes it. */
const FAILED =
  /^\s*(?:Script (?:failed|error)\b|apply_patch verification failed|unsupported call: |unsupported custom tool call: |aborted by user after |failed to parse function arguments|exec_command failed for |execution error: |command timed out after )/i;
/** The head of a command's result; the output follows it. */
const COMMAND_HEAD =
  /^(?:(?:Chunk ID|Wall time|Exit code|Process exited|Original token count|Total output lines)\b.*\n)*Output:(?:\n|$)/;
const FAILED_CODE = /^(?:Process exited with code|Exit code:) (?!0$)-?\d+$/m;

const wrapped = s.object({
  output: s.optional(s.string),
  content: s.maybe(s.string),
  success: s.maybe(s.boolean),
  metadata: s.maybe(s.object({ exit_code: s.maybe(s.number) })),
});

function resultOf(payload: Payload, outputs: Outputs): Part {
  const output = parsedOr(payload.output);
  const inner = innerOf(output);
  const whole = Array.isArray(output)
    ? wordsOf(itemParts(output))
    : (textOf(payload.output) ?? JSON.stringify(output ?? ''));
  const text = inner?.text ?? whole;
  const [head = ''] = COMMAND_HEAD.exec(text) ?? [];
  const behind = head === '' ? undefined : innerOf(parsedOr(text.slice(head.length)));
  const error =
    inner?.failed === true ||
    behind?.failed === true ||
    payload.success === false ||
    FAILED_CODE.test(head) ||
    FAILED.test(text) ||
    outputs.isFailed(text);
  return { kind: 'result', id: textOf(payload.call_id), text, error };
}

/** Reads a result of the form `{output, metadata: {exit_code}}` or `{content, success}`. */
function innerOf(output: unknown): { text: string; failed: boolean } | undefined {
  const data = s.shaped(wrapped, output);
  const text = data?.output ?? data?.content;
  if (data === undefined || text === undefined) return undefined;
  return { text, failed: data.success === false || (data.metadata?.exit_code ?? 0) !== 0 };
}

/** Parses a text that is a JSON object or array; returns every other value unchanged. */
function parsedOr(value: unknown): unknown {
  return typeof value === 'string' && /^\s*[[{]/.test(value) ? (parseJson(value) ?? value) : value;
}

export function textOf(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}
