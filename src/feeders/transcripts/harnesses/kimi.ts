import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { z } from 'zod';
import { md5 } from '../../../core/hash.js';
import type { Entry, Part, Turn } from '../entry.js';
import type { FileHead, Harness, Identity } from '../harness.js';
import { KIMI_FILE, kimiSessions } from '../kimi-place.js';
import { jsonRecords, oneLineOf, otherRecord, parsedOr } from '../records.js';

/**
 * The records of a session of Kimi CLI: `sessions/<md5 of its folder>/<session id>/wire.jsonl`, each an event with its
 * time. (`context.jsonl` beside it is what the model is sent: a compaction rewrites it, without times.) The file
 * names neither session nor folder; where it lies does.
 */
const FILE = KIMI_FILE;

const block = z.looseObject({ type: z.string() });
const content = z.union([z.string(), z.array(block)]);
const envelope = z.object({ type: z.string(), payload: z.looseObject({}) });
const record = z.object({ timestamp: z.number(), message: envelope });
const header = z.object({ type: z.literal('metadata'), protocol_version: z.string() });

const said = z.object({ user_input: content });
const call = z.object({
  id: z.string(),
  function: z.object({ name: z.string(), arguments: z.string().nullish() }),
});
const result = z.object({
  tool_call_id: z.string(),
  return_value: z.object({ is_error: z.boolean(), output: content, message: z.string().catch('') }),
});
const plan = z.object({ content: z.string() });
/** Only old versions leave it to this to say what a sub-agent did; others name it and keep a file of its own. */
const subagent = z.object({ agent_id: z.null().optional(), event: envelope });

export const kimi: Harness = {
  name: 'kimi',
  label: 'Kimi CLI',
  version: 1,
  places: (env) => [kimiSessions(env)],
  patterns: ['**/*.jsonl'],
  isTranscript: (path, has) =>
    !(/^context(?:_\w+)?\.jsonl$/.test(basename(path)) && has(join(dirname(path), FILE))),
  recognises: ({ records }) =>
    records.some((json) => record.safeParse(json).success) ||
    (records.length === 1 && header.safeParse(records[0]).success),
  identify: (head) => [identityOf(head)],
  idsAreUnique: true,
  sameSession: 'newest',
  async *read(conversation) {
    const { sessionId, agentId } = conversation.identity;
    const [file] = conversation.files;
    const title =
      sessionId === undefined || agentId !== undefined || file === undefined
        ? undefined
        : stateTitle(dirname(file.path));
    if (title !== undefined) yield { kind: 'fact', title: { text: title, rank: 1 } };
    for await (const line of jsonRecords(conversation)) {
      if ('kind' in line) yield line;
      else yield readRecord(line.json, line.line);
    }
  },
  filesOfSession: (path) => subagentsOf(dirname(path)),
};

function subagentsOf(home: string): string[] {
  const folder = join(home, 'subagents');
  if (!existsSync(folder)) return [];
  return readdirSync(folder)
    .map((agent) => join(folder, agent, FILE))
    .filter((file) => existsSync(file));
}

function readRecord(json: unknown, line: number): Entry {
  if (header.safeParse(json).success) return { kind: 'ignored', type: 'metadata' };
  const parsed = record.safeParse(json);
  if (!parsed.success) return otherRecord(json, line);
  return readEvent(parsed.data.message, parsed.data.timestamp, true, line);
}

/** @param spoken what stands as the user's is a person's */
function readEvent(
  { type, payload }: z.infer<typeof envelope>,
  timestamp: number,
  spoken: boolean,
  line: number,
): Entry {
  const ignored: string[] = [];
  const turn = (role: Turn['role'], parts: Part[], by = false): Turn => ({
    kind: 'turn',
    role,
    parts,
    id: undefined,
    at: isoOf(timestamp),
    spoken: by,
    ignored,
  });
  const read = READERS[type]?.(payload, ignored);
  if (read !== undefined)
    return turn(read.role, read.parts, spoken && read.role === 'user' && type !== 'ToolResult');
  if (type in READERS) return { kind: 'malformed', line, reason: `${type} without what it should hold` };
  const inner = type === 'SubagentEvent' ? subagent.safeParse(payload) : undefined;
  return inner?.success === true
    ? readEvent(inner.data.event, timestamp, false, line)
    : { kind: 'ignored', type };
}

type Reader = (payload: unknown, ignored: string[]) => Pick<Turn, 'role' | 'parts'> | undefined;

const asked: Reader = (payload, ignored) => {
  const { data } = said.safeParse(payload);
  return data && { role: 'user', parts: partsOf(data.user_input, ignored) };
};

/** Events that say or do something. */
const READERS: Record<string, Reader> = {
  TurnBegin: asked,
  SteerInput: asked,
  ContentPart: (payload, ignored) => {
    const { data } = block.safeParse(payload);
    return data && { role: 'assistant', parts: partsOf([data], ignored) };
  },
  ToolCall: (payload) => {
    const { data } = call.safeParse(payload);
    if (data === undefined) return undefined;
    const { name, arguments: given } = data.function;
    return { role: 'assistant', parts: [{ kind: 'call', id: data.id, name, input: parsedOr(given ?? '') }] };
  },
  ToolResult: (payload, ignored) => {
    const { data } = result.safeParse(payload);
    if (data === undefined) return undefined;
    const { output, message, is_error: error } = data.return_value;
    const texts = partsOf(output, ignored).map((part) => (part.kind === 'text' ? part.text : ''));
    const text = [...texts, message].filter((each) => each !== '').join('\n');
    return { role: 'user', parts: [{ kind: 'result', id: data.tool_call_id, text, error }] };
  },
  PlanDisplay: (payload) => {
    const { data } = plan.safeParse(payload);
    return data && { role: 'assistant', parts: [{ kind: 'text', text: `[plan]\n${data.content}` }] };
  },
};

function partsOf(given: z.infer<typeof content>, ignored: string[]): Part[] {
  if (typeof given === 'string') return [{ kind: 'text', text: given }];
  const parts: Part[] = [];
  for (const each of given) {
    const { type } = each;
    if (type === 'text' && typeof each.text === 'string') parts.push({ kind: 'text', text: each.text });
    else if (type === 'think' && typeof each.think === 'string')
      parts.push({ kind: 'text', text: `[reasoning] ${each.think}` });
    // Their data may stand in the URL.
    else if (/^(?:image|audio|video)_url$/.test(type))
      parts.push({ kind: 'text', text: `[${type.replace('_url', '')}]` });
    else ignored.push(`${type} part`);
  }
  return parts;
}

/** The file names neither session nor folder; where it lies does. */
function identityOf({ path, records }: FileHead): Identity {
  if (basename(path) !== FILE) return { sessionId: undefined };
  const first = records.flatMap((json) => record.safeParse(json).data ?? [])[0];
  const parts = dirname(path).split(/[\\/]/);
  const agent = parts.at(-2) === 'subagents' ? parts.at(-1) : undefined;
  const home = agent === undefined ? dirname(path) : dirname(dirname(dirname(path)));
  return {
    sessionId: basename(home),
    agentId: agent,
    cwd: workFolder(dirname(dirname(dirname(home))), basename(dirname(home))),
    begun: first === undefined ? undefined : isoOf(first.timestamp),
  };
}

function isoOf(seconds: number): string | undefined {
  const date = new Date(seconds * 1000);
  return Number.isNaN(date.getTime()) ? undefined : date.toISOString();
}

const folders = z.object({ work_dirs: z.array(z.object({ path: z.string() }).catch({ path: '' })) });
const state = z.object({ custom_title: z.string().min(1) });

/** The folder whose name Kimi hashed. */
function workFolder(share: string, hash: string): string | undefined {
  const { data } = folders.safeParse(jsonOf(join(share, 'kimi.json')));
  return data?.work_dirs.find(({ path }) => md5(path) === hash)?.path;
}

function stateTitle(folder: string): string | undefined {
  const { data } = state.safeParse(jsonOf(join(folder, 'state.json')));
  return oneLineOf(data?.custom_title);
}

/** Undefined for what is not there, cannot be read, or is no JSON: a session is read without it. */
function jsonOf(path: string): unknown {
  try {
    return JSON.parse(readFileSync(path, 'utf8'));
  } catch {
    return undefined;
  }
}
