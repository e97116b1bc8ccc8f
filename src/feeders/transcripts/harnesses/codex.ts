import { join } from 'node:path';
import { z } from 'zod';
import type { Entry, Part, Turn } from '../entry.js';
import type { FileHead, Harness, Identity } from '../harness.js';
import { homeOf } from '../homes.js';
import { jsonRecords, otherRecord } from '../records.js';

/**
 * The records of a Codex rollout (`~/.codex/sessions/**`): `{timestamp, type, payload}`. What was said and done are
 * the response items; events say the same again for the terminal, and are not read.
 */
const record = z.object({
  type: z.enum(['session_meta', 'response_item', 'event_msg', 'turn_context', 'compacted']),
  timestamp: z.string().optional(),
  payload: z.looseObject({ type: z.string().optional().catch(undefined) }),
});
const meta = z.object({
  id: z.string().min(1),
  cwd: z.string().min(1).optional().catch(undefined),
});

const block = z.looseObject({ type: z.string() });

type Payload = z.infer<typeof record>['payload'];

/** What Codex itself says in the user's name, before the first question. */
const INJECTED =
  /^\s*(?:<(?:environment_context|user_instructions|turn_aborted)\b|# AGENTS\.md instructions)/;

export const codex: Harness = {
  name: 'codex',
  label: 'Codex',
  version: 1,
  places: (env) => [join(homeOf(env, 'CODEX_HOME', '.codex'), 'sessions')],
  patterns: ['**/*.jsonl'],
  recognises: ({ records }) => records.some((json) => record.safeParse(json).success),
  identify: (head) => [identityOf(head)],
  idsAreUnique: true,
  sameSession: 'newest',
  async *read(conversation) {
    for await (const line of jsonRecords(conversation)) {
      if ('kind' in line) yield line;
      else yield readRecord(line.json, line.line);
    }
  },
};

/** The record that begins a rollout says whose it is. */
function identityOf({ records }: FileHead): Identity {
  for (const json of records) {
    const parsed = record.safeParse(json);
    if (!parsed.success || parsed.data.type !== 'session_meta') continue;
    const session = meta.safeParse(parsed.data.payload);
    if (!session.success) continue;
    return { sessionId: session.data.id, cwd: session.data.cwd, begun: parsed.data.timestamp };
  }
  return { sessionId: undefined };
}

function readRecord(json: unknown, line: number): Entry {
  const parsed = record.safeParse(json);
  if (!parsed.success) return otherRecord(json, line);
  const { type, payload, timestamp } = parsed.data;
  if (type === 'compacted') {
    const text = payload.message;
    return typeof text === 'string' && text !== '' ? { kind: 'summary', text } : { kind: 'ignored', type };
  }
  if (type !== 'response_item') return { kind: 'ignored', type };
  const turn = (role: Turn['role'], parts: Part[], ignored: string[] = [], spoken = false): Turn => ({
    kind: 'turn',
    role,
    parts,
    id: textOf(payload.id) ?? undefined,
    at: timestamp,
    spoken,
    synthetic: role === 'user' && !spoken,
    ignored,
  });
  const kind = payload.type ?? 'response_item';
  if (kind === 'message') {
    if (payload.role !== 'user' && payload.role !== 'assistant') {
      return { kind: 'ignored', type: `${textOf(payload.role) ?? 'nobody'}'s message` };
    }
    const ignored: string[] = [];
    const parts = contentParts(payload.content, ignored);
    const said = parts.find((part) => part.kind === 'text');
    const spoken = payload.role === 'user' && said !== undefined && !INJECTED.test(said.text);
    return turn(payload.role, parts, ignored, spoken);
  }
  if (kind === 'reasoning') {
    const ignored: string[] = [];
    const texts = [...contentParts(payload.summary, ignored), ...contentParts(payload.content, ignored)];
    // What is encrypted cannot be read by anybody but the provider.
    return turn('assistant', texts.map(asReasoning), ignored);
  }
  if (kind.endsWith('_call')) return turn('assistant', [callOf(kind, payload)]);
  if (kind.endsWith('_call_output')) return turn('user', [resultOf(payload)]);
  return { kind: 'ignored', type: kind };
}

function asReasoning(part: Part): Part {
  return part.kind === 'text' ? { kind: 'text', text: `[reasoning] ${part.text}` } : part;
}

function contentParts(content: unknown, ignored: string[]): Part[] {
  if (typeof content === 'string') return [{ kind: 'text', text: content }];
  if (!Array.isArray(content)) return [];
  const parts: Part[] = [];
  for (const entry of content) {
    const parsed = block.safeParse(entry);
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

function resultOf(payload: Payload): Part {
  const output = parsedOr(payload.output);
  const wrapped = z
    .object({
      output: z.string().optional(),
      content: z.string().optional(),
      success: z.boolean().nullish(),
      metadata: z.object({ exit_code: z.number().optional() }).optional(),
    })
    .safeParse(output);
  const inner = wrapped.success ? (wrapped.data.output ?? wrapped.data.content) : undefined;
  const failed =
    wrapped.success && (wrapped.data.success === false || (wrapped.data.metadata?.exit_code ?? 0) !== 0);
  const text =
    inner ??
    (Array.isArray(output)
      ? contentParts(output, [])
          .map((part) => (part.kind === 'text' ? part.text : ''))
          .join('\n')
      : (textOf(payload.output) ?? JSON.stringify(output ?? '')));
  return { kind: 'result', id: textOf(payload.call_id), text, error: inner !== undefined && failed };
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

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}
