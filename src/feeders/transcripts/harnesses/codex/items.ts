import { z } from 'zod';
import type { Part, Turn } from '../../entry.js';
import { answerPart, NOBODY, notePart, personsPart, whoseWords } from './words.js';

/** What a response item of Codex says: the form in which the model's provider was sent it, or sent it back. */

/** A record's `payload`. */
export const payloadSchema = z.looseObject({ type: z.string().optional().catch(undefined) });
export type Payload = z.infer<typeof payloadSchema>;

/** A turn without what the rollout as a whole says of it. */
export type Said = Pick<Turn, 'role' | 'parts' | 'spoken' | 'ignored' | 'synthetic'>;

/** @returns the type under which the item is left out, when it says nothing */
export function readItem(payload: Payload, agent: AgentPath, failures: Failures): Said | string {
  const kind = payload.type ?? 'response_item';
  if (kind === 'message') {
    if (payload.role === 'user') return userMessage(payload);
    if (payload.role !== 'assistant') return `${textOf(payload.role) ?? NOBODY}'s message`;
    const ignored: string[] = [];
    return said('assistant', contentParts(payload.content, ignored), { ignored });
  }
  if (kind === 'agent_message') return agentMessage(payload, agent);
  if (kind === 'reasoning') {
    const ignored: string[] = [];
    const texts = [...contentParts(payload.summary, ignored), ...contentParts(payload.content, ignored)];
    // What is encrypted cannot be read by anybody but the provider.
    return said('assistant', texts.map(asReasoning), { ignored });
  }
  if (kind.endsWith('_call')) return said('assistant', [callOf(kind, payload)]);
  if (kind.endsWith('_call_output')) return said('user', [resultOf(payload, failures)]);
  return kind;
}

export function said(
  role: Turn['role'],
  parts: Part[],
  more: Partial<Pick<Said, 'spoken' | 'ignored' | 'synthetic'>> = {},
): Said {
  return { role, parts, spoken: false, ignored: [], ...more };
}

const kinds = z.object({ content_item_kinds: z.array(z.string()) });

/** A message in the user's name: a person's words, notes of Codex, or both. */
function userMessage(payload: Payload): Said | string {
  const named = kinds.safeParse(payload.internal_chat_message_metadata_passthrough);
  const content = Array.isArray(payload.content) ? payload.content : [payload.content];
  const ignored: string[] = [];
  const parts: Part[] = [];
  let spoken = false;
  for (const [number, each] of content.entries()) {
    for (const part of contentParts(typeof each === 'string' ? each : [each], ignored)) {
      const kind = named.success ? named.data.content_item_kinds[number] : undefined;
      const whose = part.kind === 'text' ? whoseWords(part.text, kind) : 'person';
      if (whose === 'machine') {
        ignored.push('text of Codex in the name of the user');
        continue;
      }
      spoken ||= whose === 'person';
      parts.push(part.kind === 'text' && whose === 'note' ? notePart(part.text) : part);
    }
  }
  return said('user', parts, { spoken, ignored, synthetic: !spoken });
}

/** `/root/helper` of a sub-agent; undefined in the session itself, and where a release gives no names. */
export type AgentPath = string | undefined;

/** What one agent told another (sub-agents v2): a task is what starts an exchange, an answer is a result. */
function agentMessage(payload: Payload, agent: AgentPath): Said {
  const ignored: string[] = [];
  const content = Array.isArray(payload.content) ? payload.content : [payload.content];
  const texts: string[] = [];
  for (const each of content) {
    const encrypted = z.object({ encrypted_content: z.string() }).safeParse(each);
    if (encrypted.success) {
      // The provider may have left it as it was.
      if (/\s/.test(encrypted.data.encrypted_content.trim())) texts.push(encrypted.data.encrypted_content);
      else ignored.push('encrypted_content block');
      continue;
    }
    for (const part of contentParts(typeof each === 'string' ? each : [each], ignored))
      if (part.kind === 'text') texts.push(part.text);
  }
  const author = textOf(payload.author);
  const { text, isAnswer } = personsPart(texts.join(''));
  if (text.trim() === '') return said('user', [], { ignored, synthetic: true });
  const fromBelow = author?.startsWith(`${agent ?? '/root'}/`) === true;
  if (isAnswer || fromBelow) return said('user', [answerPart(author, text)], { ignored });
  const toMe = textOf(payload.recipient) === (agent ?? '/root');
  return said('user', [{ kind: 'text', text }], { ignored, spoken: toMe, synthetic: !toMe });
}

function asReasoning(part: Part): Part {
  return part.kind === 'text' ? { kind: 'text', text: `[reasoning] ${part.text}` } : part;
}

function contentParts(content: unknown, ignored: string[]): Part[] {
  if (typeof content === 'string') return [{ kind: 'text', text: content }];
  if (!Array.isArray(content)) return [];
  const parts: Part[] = [];
  for (const entry of content) {
    const parsed = z.looseObject({ type: z.string() }).safeParse(entry);
    if (!parsed.success) continue;
    const { type, text } = parsed.data;
    if (typeof text === 'string') parts.push({ kind: 'text', text });
    else if (type.endsWith('image')) parts.push({ kind: 'text', text: '[image]' });
    else ignored.push(`${type} block`);
  }
  return parts;
}

/** Functions name their arguments as JSON, custom tools (`apply_patch`) as text, built-in ones as an action. */
function callOf(kind: string, payload: Payload): Part {
  const name = textOf(payload.name) ?? kind.replace(/_call$/, '');
  const given = payload.arguments ?? payload.input ?? payload.action;
  return { kind: 'call', id: textOf(payload.call_id) ?? textOf(payload.id), name, input: parsedOr(given) };
}

/** Outputs of commands that failed, as events tell them: a script that ran such a command reports success itself. */
export class Failures {
  #outputs: string[] = [];

  meet(output: string): void {
    if (output.trim() !== '') this.#outputs.push(output.trim());
  }

  /** Whether this result quotes one of those that were met since the last result. */
  areIn(result: string): boolean {
    const found = this.#outputs.findIndex((output) => result.includes(output));
    if (found >= 0) this.#outputs.splice(found, 1);
    return found >= 0;
  }

  /** What was not quoted by the results of a turn is not quoted by those of the next. */
  clear(): void {
    this.#outputs = [];
  }
}

/** What Codex says itself of a call that failed, at the beginning of its result. */
const FAILED =
  /^\s*(?:Script (?:failed|error)\b|apply_patch verification failed|unsupported call: |unsupported custom tool call: |aborted by user after |failed to parse function arguments|exec_command failed for |execution error: |command timed out after )/i;
/** The head of a command's result; what the command printed comes behind it. */
const COMMAND_HEAD =
  /^(?:(?:Chunk ID|Wall time|Exit code|Process exited|Original token count|Total output lines)\b.*\n)*Output:(?:\n|$)/;
const FAILED_CODE = /^(?:Process exited with code|Exit code:) (?!0$)-?\d+$/m;

const wrapped = z.object({
  output: z.string().optional(),
  content: z.string().optional(),
  success: z.boolean().nullish(),
  metadata: z.object({ exit_code: z.number().optional() }).optional(),
});

function resultOf(payload: Payload, failures: Failures): Part {
  const output = parsedOr(payload.output);
  const inner = innerOf(output);
  const text =
    inner?.text ??
    (Array.isArray(output)
      ? contentParts(output, [])
          .map((part) => (part.kind === 'text' ? part.text : ''))
          .join('\n')
      : (textOf(payload.output) ?? JSON.stringify(output ?? '')));
  const [head = ''] = COMMAND_HEAD.exec(text) ?? [];
  const behind = head === '' ? undefined : innerOf(parsedOr(text.slice(head.length)));
  const error =
    inner?.failed === true ||
    behind?.failed === true ||
    payload.success === false ||
    FAILED_CODE.test(head) ||
    FAILED.test(text) ||
    failures.areIn(text);
  return { kind: 'result', id: textOf(payload.call_id), text, error };
}

/** What a result of the form `{output, metadata: {exit_code}}` or `{content, success}` says. */
function innerOf(output: unknown): { text: string; failed: boolean } | undefined {
  const parsed = wrapped.safeParse(output);
  if (!parsed.success) return undefined;
  const text = parsed.data.output ?? parsed.data.content;
  if (text === undefined) return undefined;
  return { text, failed: parsed.data.success === false || (parsed.data.metadata?.exit_code ?? 0) !== 0 };
}

/** What a text holds when it is a JSON object or array, else the thing itself. */
function parsedOr(value: unknown): unknown {
  if (typeof value !== 'string' || !/^\s*[[{]/.test(value)) return value;
  try {
    return JSON.parse(value);
  } catch {
    return value;
  }
}

export function textOf(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}
