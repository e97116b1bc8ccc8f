import { type Part, reasoningPart, textPart } from '../../../../core/parts.js';
import * as s from '../../../../core/shape.js';
import { isObject, listOf, type Turn, turn } from '../../turns.js';
import { type Payload, payloadShape, textOf } from './items.js';
import { whoseWords } from './words.js';

/**
 * Events of Codex for its terminal. They repeat the response items, so they are read only in a rollout without those:
 * as completed items (since 0.160), else in their older form.
 */

/** The form in which a rollout records messages; it may contain several that say the same. */
export type Form = 'items' | 'completed' | 'events';

const COMPLETED = 'item_completed';

type Reader = (payload: Record<string, unknown>) => Turn;

/** By the type of an event, or of a completed item. */
const READERS: Record<string, Reader> = {
  user_message: (payload) => person(textOf(payload.message), listOf(payload.images).length),
  agent_message: (payload) => words(textOf(payload.message)),
  agent_reasoning: (payload) => reasoning([textOf(payload.text)]),
  agent_reasoning_raw_content: (payload) => reasoning([textOf(payload.text)]),
  exec_command_end: command,
  patch_apply_end: patch,
  mcp_tool_call_end: (payload) =>
    mcpCall({ ...payload, ...(isObject(payload.invocation) ? payload.invocation : {}) }),
  UserMessage: (item) => person(textsOf(item.content), 0),
  AgentMessage: (item) => words(textsOf(item.content)),
  Reasoning: (item) => reasoning([...listOf(item.summary_text), ...listOf(item.raw_content)].map(textOf)),
  CommandExecution: command,
  FileChange: patch,
  McpToolCall: mcpCall,
};

/** Whether an event reports a completed item of a known type. */
export function isCompletedItem(payload: Payload): boolean {
  return payload.type === COMPLETED && Object.hasOwn(READERS, itemOf(payload).type ?? '');
}

/** Undefined for an event of an unknown type, or of another form. */
export function readEvent(payload: Payload, form: Form): Turn | undefined {
  const item = itemOf(payload);
  const type = item.type ?? '';
  if ((payload.type === COMPLETED) !== (form === 'completed') || !Object.hasOwn(READERS, type))
    return undefined;
  return READERS[type]?.(item);
}

/** The output of an agent's command; undefined for every other event. */
export function outputOf(payload: Payload): Extract<Part, { kind: 'result' }> | undefined {
  const item = itemOf(payload);
  if (item.type !== 'CommandExecution' && item.type !== 'exec_command_end') return undefined;
  if (item.source === 'user_shell') return undefined;
  return { kind: 'result', id: idOf(item), text: printed(item), error: failed(item) };
}

/** The completed item that an event reports, else the event itself. */
function itemOf(payload: Payload): Payload {
  return (payload.type === COMPLETED ? s.shaped(payloadShape, payload.item) : undefined) ?? payload;
}

function person(text: string | undefined, images: number): Turn {
  const spoken = text === undefined || whoseWords(text, undefined) === 'person';
  const parts = [...(text === undefined ? [] : [text]), ...Array<string>(images).fill('[image]')];
  return turn('user', spoken ? parts.map(textPart) : [], { spoken, synthetic: !spoken });
}

function words(text: string | undefined): Turn {
  return turn('assistant', text === undefined ? [] : text);
}

function reasoning(texts: readonly (string | undefined)[]): Turn {
  return turn('assistant', texts.filter((text) => text !== undefined).map(reasoningPart));
}

function command(payload: Record<string, unknown>): Turn {
  const input = { command: payload.command, workdir: payload.cwd };
  return call('shell', payload, input, printed(payload), failed(payload));
}

function patch(payload: Record<string, unknown>): Turn {
  const error = payload.success === false || payload.status === 'failed';
  return call('apply_patch', payload, payload.changes, printed(payload), error);
}

function mcpCall(payload: Record<string, unknown>): Turn {
  const name = [textOf(payload.server), textOf(payload.tool)].filter((each) => each !== undefined);
  const failure = payload.error ?? undefined;
  const text = resultText(failure ?? payload.result);
  return call(name.join('__') || 'mcp', payload, payload.arguments, text, failure !== undefined);
}

function call(
  name: string,
  payload: Record<string, unknown>,
  input: unknown,
  text: string,
  error: boolean,
): Turn {
  const id = idOf(payload);
  return turn('assistant', [
    { kind: 'call', id, name, input },
    { kind: 'result', id, text, error },
  ]);
}

function idOf(payload: Record<string, unknown>): string | undefined {
  return textOf(payload.call_id) ?? textOf(payload.id);
}

/** The texts of an MCP result, at any depth. */
function resultText(value: unknown): string {
  if (typeof value === 'string') return value;
  if (isObject(value) && value.Ok !== undefined) return resultText(value.Ok);
  return (isObject(value) ? textsOf(value.content) : undefined) ?? JSON.stringify(value ?? '');
}

function printed(payload: Record<string, unknown>): string {
  const both = [textOf(payload.stdout), textOf(payload.stderr)].filter((each) => each !== undefined);
  return textOf(payload.aggregated_output) ?? both.join('\n');
}

function failed({ exit_code: code, status }: Record<string, unknown>): boolean {
  return typeof code === 'number' ? code !== 0 : status === 'failed';
}

function textsOf(content: unknown): string | undefined {
  if (!Array.isArray(content)) return textOf(content);
  return textOf(content.flatMap((each) => (isObject(each) ? (textOf(each.text) ?? []) : [])).join('\n'));
}
