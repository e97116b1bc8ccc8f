import { z } from 'zod';
import type { Part } from '../../entry.js';
import { type Payload, type Said, said, textOf } from './items.js';
import { whoseWords } from './words.js';

/**
 * What Codex tells its terminal. It says again what the response items say, so it is read where a rollout has none of
 * those: as items that were completed (since 0.160), else as the events before them.
 */

/** What was said and done, of which a file may have one form, or several that say the same. */
export type Form = 'items' | 'completed' | 'events';

const COMPLETED = new Set([
  'UserMessage',
  'AgentMessage',
  'Reasoning',
  'CommandExecution',
  'FileChange',
  'McpToolCall',
]);

/** Whether an event tells of an item that was completed and says something. */
export function isCompletedItem(payload: Payload): boolean {
  return payload.type === 'item_completed' && COMPLETED.has(itemOf(payload).type);
}

/** @returns the type under which the event is left out, when it says nothing */
export function readEvent(payload: Payload, form: Form): Said | string {
  const type = payload.type ?? 'event_msg';
  if (form === 'completed') return type === 'item_completed' ? readCompleted(payload) : type;
  if (type === 'user_message') return person(textOf(payload.message), countOf(payload.images));
  if (type === 'agent_message') return words(textOf(payload.message));
  if (type === 'agent_reasoning' || type === 'agent_reasoning_raw_content')
    return reasoning([textOf(payload.text)]);
  if (type === 'exec_command_end') return command(payload);
  if (type === 'patch_apply_end') return patch(payload);
  if (type === 'mcp_tool_call_end') {
    const call = z.looseObject({}).safeParse(payload.invocation);
    return mcpCall({ ...payload, ...(call.success ? call.data : {}) });
  }
  return type;
}

/** What a command of the agent printed; undefined for every other event. */
export function outputOf(
  payload: Payload,
): { id: string | undefined; text: string; error: boolean } | undefined {
  const item = payload.type === 'item_completed' ? itemOf(payload) : payload;
  if (item.type !== 'CommandExecution' && item.type !== 'exec_command_end') return undefined;
  if (item.source === 'user_shell') return undefined;
  const id = textOf(item.call_id) ?? textOf(item.id);
  return { id, text: printed(item), error: exitCode(item) !== 0 };
}

const itemSchema = z.looseObject({ type: z.string() });

function itemOf(payload: Payload): z.infer<typeof itemSchema> {
  const parsed = itemSchema.safeParse(payload.item);
  return parsed.success ? parsed.data : { type: 'item_completed' };
}

function readCompleted(payload: Payload): Said | string {
  const item = itemOf(payload);
  const { type } = item;
  if (type === 'UserMessage') return person(textsOf(item.content), 0);
  if (type === 'AgentMessage') return words(textsOf(item.content));
  if (type === 'Reasoning') return reasoning([...listOf(item.summary_text), ...listOf(item.raw_content)]);
  if (type === 'CommandExecution') return command(item);
  if (type === 'FileChange') return patch(item);
  if (type === 'McpToolCall') return mcpCall(item);
  return type;
}

function person(text: string | undefined, images: number): Said {
  const parts: Part[] = text === undefined ? [] : [{ kind: 'text', text }];
  for (let number = 0; number < images; number += 1) parts.push({ kind: 'text', text: '[image]' });
  const spoken = text === undefined || whoseWords(text, undefined) === 'person';
  return said('user', spoken ? parts : [], { spoken, synthetic: !spoken });
}

function words(text: string | undefined): Said {
  return said('assistant', text === undefined ? [] : [{ kind: 'text', text }]);
}

function reasoning(texts: readonly (string | undefined)[]): Said {
  const told = texts.filter((text) => text !== undefined);
  return said(
    'assistant',
    told.map((text) => ({ kind: 'text', text: `[reasoning] ${text}` })),
  );
}

function command(payload: z.infer<typeof itemSchema> | Payload): Said {
  const id = textOf(payload.call_id) ?? textOf(payload.id);
  const { command: given, cwd } = payload;
  return said('assistant', [
    { kind: 'call', id, name: 'shell', input: { command: given, workdir: cwd } },
    { kind: 'result', id, text: printed(payload), error: exitCode(payload) !== 0 },
  ]);
}

function patch(payload: z.infer<typeof itemSchema> | Payload): Said {
  const id = textOf(payload.call_id) ?? textOf(payload.id);
  const failed = payload.success === false || payload.status === 'failed';
  return said('assistant', [
    { kind: 'call', id, name: 'apply_patch', input: payload.changes },
    { kind: 'result', id, text: printed(payload), error: failed },
  ]);
}

function mcpCall(payload: Record<string, unknown>): Said {
  const id = textOf(payload.call_id) ?? textOf(payload.id);
  const name = [textOf(payload.server), textOf(payload.tool)].filter((each) => each !== undefined);
  const { result, error } = payload;
  const failed = error !== undefined && error !== null;
  return said('assistant', [
    { kind: 'call', id, name: name.join('__') || 'mcp', input: payload.arguments },
    { kind: 'result', id, text: resultText(failed ? error : result), error: failed },
  ]);
}

/** The texts of an MCP result, however deep it is wrapped. */
function resultText(value: unknown): string {
  if (typeof value === 'string') return value;
  const shaped = z.object({ content: z.unknown() }).safeParse(value);
  const wrappedOne = z.object({ Ok: z.unknown() }).safeParse(value);
  if (wrappedOne.success && wrappedOne.data.Ok !== undefined) return resultText(wrappedOne.data.Ok);
  return (shaped.success ? textsOf(shaped.data.content) : undefined) ?? JSON.stringify(value ?? '');
}

function printed(payload: Record<string, unknown>): string {
  const both = [textOf(payload.stdout), textOf(payload.stderr)].filter((each) => each !== undefined);
  return textOf(payload.aggregated_output) ?? both.join('\n');
}

function exitCode({ exit_code: code, status }: Record<string, unknown>): number {
  if (typeof code === 'number') return code;
  return status === 'failed' ? 1 : 0;
}

function textsOf(content: unknown): string | undefined {
  const parsed = z.array(z.object({ text: z.string() }).catch({ text: '' })).safeParse(content);
  if (!parsed.success) return textOf(content);
  return textOf(
    parsed.data
      .map(({ text }) => text)
      .filter((text) => text !== '')
      .join('\n'),
  );
}

function listOf(value: unknown): string[] {
  return Array.isArray(value) ? value.filter((each) => typeof each === 'string') : [];
}

function countOf(value: unknown): number {
  return Array.isArray(value) ? value.length : 0;
}
