import * as field from '../../../../core/fields.js';
import { isRecord, parseJson } from '../../../../core/json.js';
import { type Part, reasoningPart, textPart } from '../../../../core/parts.js';
import { type Turn, turn, wordsOf } from '../../turns.js';
import type { Outputs } from './outputs.js';
import { answerPart, notePart, personsPart, whoseWords } from './words.js';

/** Response items of Codex, as exchanged with the model's provider. */

/** @param agent such as `/root/helper`; undefined in the session itself, and in releases without names */
export function readItem(
  payload: field.Fields,
  agent: string | undefined,
  outputs: Outputs,
): Turn | undefined {
  const kind =
    field.text(payload, 'type') ?? (field.name(payload, 'role') === undefined ? 'response_item' : 'message');
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

/** A message in the user's name: the user's words, notes of Codex, or both. */
function userMessage(payload: field.Fields): Turn {
  const kinds = field.list(payload, 'internal_chat_message_metadata_passthrough', 'content_item_kinds');
  const parts: Part[] = [];
  let spoken = false;
  for (const [number, each] of asList(payload.content).entries()) {
    for (const part of itemParts(each)) {
      const text = wordsOf([part]);
      const whose = whoseWords(text, field.text(kinds[number]));
      if (whose === 'machine') continue;
      spoken ||= whose === 'person';
      parts.push(whose === 'note' ? notePart(text) : part);
    }
  }
  return turn('user', parts, { spoken, synthetic: !spoken });
}

/** A message between agents (sub-agents v2): a task starts an exchange, an answer is a result. */
function agentMessage(payload: field.Fields, agent = '/root'): Turn {
  const texts = asList(payload.content).flatMap((each) => {
    const content = field.text(each, 'encrypted_content');
    // Some providers leave it unencrypted.
    if (content !== undefined) return /\s/.test(content.trim()) ? [content] : [];
    return itemParts(each).map((part) => wordsOf([part]));
  });
  const author = field.name(payload.author);
  const { text, isAnswer } = personsPart(texts.join(''));
  if (text.trim() === '') return turn('user', [], { synthetic: true });
  const fromBelow = author?.startsWith(`${agent}/`) === true;
  if (isAnswer || fromBelow) return turn('user', [answerPart(author, text)]);
  const spoken = field.name(payload.recipient) === agent;
  return turn('user', text, { spoken, synthetic: !spoken });
}

function asList(content: unknown): unknown[] {
  return Array.isArray(content) ? content : [content];
}

/** The texts of a content or a block. */
function itemParts(content: unknown): Part[] {
  if (Array.isArray(content)) return content.filter(isRecord).flatMap(itemParts);
  const text = field.text(content) ?? field.text(content, 'text');
  if (text !== undefined) return [textPart(text)];
  return field.text(content, 'type')?.endsWith('image') === true ? [textPart('[image]')] : [];
}

/** Arguments are JSON for functions, text for custom tools (`apply_patch`), and an action for built-in tools. */
function callOf(kind: string, payload: field.Fields): Part {
  const name = field.name(payload.name) ?? kind.replace(/_call$/, '');
  const given = payload.arguments ?? payload.input ?? payload.action;
  return {
    kind: 'call',
    id: field.name(payload.call_id) ?? field.name(payload.id),
    name,
    input: parsedOr(given),
  };
}

/** The beginning of a failed call's result, as Codex writes it. */
const FAILED =
  /^\s*(?:Script (?:failed|error)\b|apply_patch verification failed|unsupported call: |unsupported custom tool call: |aborted by user after |failed to parse function arguments|exec_command failed for |execution error: |command timed out after )/i;
/** The head of a command's result; the output follows it. */
const COMMAND_HEAD =
  /^(?:(?:Chunk ID|Wall time|Exit code|Process exited|Original token count|Total output lines)\b.*\n)*Output:(?:\n|$)/;
const FAILED_CODE = /^(?:Process exited with code|Exit code:) (?!0$)-?\d+$/m;

function resultOf(payload: field.Fields, outputs: Outputs): Part {
  const output = parsedOr(payload.output);
  const inner = innerOf(output);
  const whole = Array.isArray(output)
    ? wordsOf(itemParts(output))
    : (field.name(payload.output) ?? JSON.stringify(output ?? ''));
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
  return { kind: 'result', id: field.name(payload.call_id), text, error };
}

/** Reads a result of the form `{output, metadata: {exit_code}}` or `{content, success}`. */
function innerOf(output: unknown): { text: string; failed: boolean } | undefined {
  const own = field.value(output, 'output') ?? undefined;
  const text = own === undefined ? field.text(output, 'content') : field.text(own);
  if (text === undefined) return undefined;
  const exitCode = field.number(output, 'metadata', 'exit_code') ?? 0;
  return { text, failed: field.value(output, 'success') === false || exitCode !== 0 };
}

/** Parses a text that is a JSON object or array; returns every other value unchanged. */
function parsedOr(value: unknown): unknown {
  return typeof value === 'string' && /^\s*[[{]/.test(value) ? (parseJson(value) ?? value) : value;
}
