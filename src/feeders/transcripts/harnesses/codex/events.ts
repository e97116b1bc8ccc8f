import * as field from '../../../../core/fields.js';
import { type Part, reasoningPart, textPart } from '../../../../core/parts.js';
import { type Turn, turn } from '../../turns.js';
import { whoseWords } from './words.js';

/**
 * Events of Codex for its terminal. They repeat the response items, so they are read only in a rollout without those:
 * as completed items (since 0.160), else in their older form.
 */

/** The form in which a rollout records messages; it may contain several that say the same. */
export type Form = 'items' | 'completed' | 'events';

const COMPLETED = 'item_completed';

type Reader = (payload: field.Fields) => Turn;

/** By the type of an event, or of a completed item. */
const READERS: Record<string, Reader> = {
  user_message: (payload) => person(field.name(payload.message), field.list(payload.images).length),
  agent_message: (payload) => words(field.name(payload.message)),
  agent_reasoning: (payload) => reasoning([field.name(payload.text)]),
  agent_reasoning_raw_content: (payload) => reasoning([field.name(payload.text)]),
  exec_command_end: command,
  patch_apply_end: patch,
  mcp_tool_call_end: (payload) => mcpCall({ ...payload, ...field.object(payload, 'invocation') }),
  UserMessage: (item) => person(textsOf(item.content), 0),
  AgentMessage: (item) => words(textsOf(item.content)),
  Reasoning: (item) =>
    reasoning(
      [...field.list(item.summary_text), ...field.list(item.raw_content)].map((text) => field.name(text)),
    ),
  CommandExecution: command,
  FileChange: patch,
  McpToolCall: mcpCall,
};

/** Whether an event reports a completed item of a known type. */
export function isCompletedItem(payload: field.Fields): boolean {
  return payload.type === COMPLETED && Object.hasOwn(READERS, field.text(itemOf(payload), 'type') ?? '');
}

/** Undefined for an event of an unknown type, or of another form. */
export function readEvent(payload: field.Fields, form: Form): Turn | undefined {
  const item = itemOf(payload);
  const type = field.text(item, 'type') ?? '';
  if ((payload.type === COMPLETED) !== (form === 'completed') || !Object.hasOwn(READERS, type))
    return undefined;
  return READERS[type]?.(item);
}

export function outputOf(payload: field.Fields): Extract<Part, { kind: 'result' }> | undefined {
  const item = itemOf(payload);
  if (item.type !== 'CommandExecution' && item.type !== 'exec_command_end') return undefined;
  if (item.source === 'user_shell') return undefined;
  return { kind: 'result', id: idOf(item), text: printed(item), error: failed(item) };
}

/** The completed item that an event reports, else the event itself. */
function itemOf(payload: field.Fields): field.Fields {
  return (payload.type === COMPLETED ? field.object(payload, 'item') : undefined) ?? payload;
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

function command(payload: field.Fields): Turn {
  const input = { command: payload.command, workdir: payload.cwd };
  return call('shell', payload, input, printed(payload), failed(payload));
}

function patch(payload: field.Fields): Turn {
  const error = payload.success === false || payload.status === 'failed';
  return call('apply_patch', payload, payload.changes, printed(payload), error);
}

function mcpCall(payload: field.Fields): Turn {
  const name = [field.name(payload.server), field.name(payload.tool)].filter((each) => each !== undefined);
  const failure = payload.error ?? undefined;
  const text = resultText(failure ?? payload.result);
  return call(name.join('__') || 'mcp', payload, payload.arguments, text, failure !== undefined);
}

function call(name: string, payload: field.Fields, input: unknown, text: string, error: boolean): Turn {
  const id = idOf(payload);
  return turn('assistant', [
    { kind: 'call', id, name, input },
    { kind: 'result', id, text, error },
  ]);
}

function idOf(payload: field.Fields): string | undefined {
  return field.name(payload.call_id) ?? field.name(payload.id);
}

/** The texts of an MCP result, at any depth. */
function resultText(value: unknown): string {
  if (typeof value === 'string') return value;
  const inner = field.value(value, 'Ok');
  if (inner !== undefined) return resultText(inner);
  return textsOf(field.value(value, 'content')) ?? JSON.stringify(value ?? '');
}

function printed(payload: field.Fields): string {
  const both = [field.name(payload.stdout), field.name(payload.stderr)].filter((each) => each !== undefined);
  return field.name(payload.aggregated_output) ?? both.join('\n');
}

function failed({ exit_code: code, status }: field.Fields): boolean {
  return typeof code === 'number' ? code !== 0 : status === 'failed';
}

function textsOf(content: unknown): string | undefined {
  if (!Array.isArray(content)) return field.name(content);
  return field.name(content.flatMap((each) => field.name(each, 'text') ?? []).join('\n'));
}
