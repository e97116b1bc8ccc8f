import { basename, dirname, join } from 'node:path';
import { z } from 'zod';
import { md5 } from '../../../core/hash.js';
import { parseJson } from '../../../core/json.js';
import { contentParts, contentSchema } from '../../../core/parts.js';
import type { FileHead, Harness, Identity } from '../harness.js';
import { filesBelow } from '../head.js';
import { KIMI_FILE, kimiSessions } from '../homes.js';
import { complete, readRecords, sideJson } from '../records.js';
import { type Entry, isoOf, type Turn, titled, turn, wordsOf } from '../turns.js';

/**
 * Sessions of Kimi CLI: `sessions/<md5 of its folder>/<session id>/wire.jsonl`, each line an event with its time. Only
 * the path identifies session and folder. (The adjacent `context.jsonl` is the model's context, without times; a
 * compaction rewrites it.)
 */
const envelope = z.object({ type: z.string(), payload: z.looseObject({}) });
const record = z.object({ timestamp: z.number(), message: envelope });
const header = z.object({ type: z.literal('metadata'), protocol_version: z.string() });

/** Commands that Kimi CLI answers itself, without the agent. */
const LOCAL =
  /^\s*\/(?:add-dir|afk|clear|compact|export|help|import|login|logout|mcp|model|new|plan|reset|sessions|usage|version|yolo)(?:\s|$)/;

const said = z.object({ user_input: contentSchema });
const block = z.looseObject({ type: z.string() });
const call = z.object({
  id: z.string(),
  function: z.object({ name: z.string(), arguments: z.string().nullish() }),
});
const result = z.object({
  tool_call_id: z.string(),
  return_value: z.object({ is_error: z.boolean(), output: contentSchema, message: z.string().catch('') }),
});
const plan = z.object({ content: z.string() });
/** Events of a sub-agent in old versions; newer ones set `agent_id` and write a separate file. */
const subagent = z.object({ agent_id: z.null().optional(), event: envelope });
const folders = z.object({ work_dirs: z.array(z.object({ path: z.string() }).catch({ path: '' })) });
const state = z.object({ custom_title: z.string().min(1) });

export const kimi: Harness = {
  name: 'kimi',
  label: 'Kimi CLI',
  patterns: ['**/*.jsonl'],
  places: (env) => [kimiSessions(env)],
  isTranscript: (path, has) =>
    !(/^context(?:_\w+)?\.jsonl$/.test(basename(path)) && has(join(dirname(path), KIMI_FILE))),
  recognises: ({ records }) =>
    records.some((json) => record.safeParse(json).success) ||
    (records.length === 1 && header.safeParse(records[0]).success),
  identify: (head) => [identityOf(head)],
  idsAreUnique: true,
  async *read(conversation) {
    const { sessionId, agentId } = conversation.identity;
    const folder = dirname(conversation.files[0].path);
    if (sessionId !== undefined && agentId === undefined)
      yield* titled(state.safeParse(sideJson(join(folder, 'state.json'))).data?.custom_title);
    yield* readRecords(conversation, readRecord);
  },
  filesOfSession: (path) => filesBelow(dirname(path), [`subagents/*/${KIMI_FILE}`]),
};

function readRecord(json: unknown, line: number): Entry[] | undefined {
  const { data } = record.safeParse(json);
  return data && readEvent(data.message, isoOf(data.timestamp * 1000), true, line);
}

/** @param person whether the user's words are a person's */
function readEvent(
  { type, payload }: z.infer<typeof envelope>,
  at: string | undefined,
  person: boolean,
  line: number,
): Entry[] {
  if (type === 'SubagentEvent') {
    const inner = subagent.safeParse(payload).data;
    const events = inner === undefined ? [] : readEvent(inner.event, at, false, line);
    return events.map((each) => (each.kind === 'turn' ? { ...each, subagent: true } : each));
  }
  // Its summary is only in the model's context.
  if (type === 'CompactionEnd') return [{ kind: 'fact', compaction: {} }];
  return complete(type, line, () => {
    const read = turnOf(type, payload);
    return read === undefined ? [] : [{ ...read, at, spoken: read.spoken && person }];
  });
}

/** @throws ZodError for an event of a known type without its fields */
function turnOf(type: string, payload: unknown): Turn | undefined {
  switch (type) {
    case 'TurnBegin':
    case 'SteerInput': {
      const parts = contentParts(said.parse(payload).user_input);
      const own = LOCAL.test(wordsOf(parts));
      return turn('user', parts, { spoken: !own, synthetic: own });
    }
    case 'ContentPart':
      return turn('assistant', contentParts([block.parse(payload)]));
    case 'ToolCall': {
      const { id, function: called } = call.parse(payload);
      const { name, arguments: given } = called;
      const parsed = parseJson(given ?? '');
      const input = parsed === undefined ? (given ?? '') : parsed;
      return turn('assistant', [{ kind: 'call', id, name, input }]);
    }
    case 'ToolResult': {
      const { tool_call_id: id, return_value } = result.parse(payload);
      const { output, message, is_error: error } = return_value;
      const texts = contentParts(output).map((part) => wordsOf([part]));
      const text = [...texts, message].filter((each) => each !== '').join('\n');
      return turn('user', [{ kind: 'result', id, text, error }]);
    }
    case 'PlanDisplay':
      return turn('assistant', `[plan]\n${plan.parse(payload).content}`);
    default:
      return undefined;
  }
}

function identityOf({ path, records }: FileHead): Identity {
  if (basename(path) !== KIMI_FILE) return { sessionId: undefined };
  const [first] = records.flatMap((json) => record.safeParse(json).data ?? []);
  const parts = dirname(path).split(/[\\/]/);
  const agentId = parts.at(-2) === 'subagents' ? parts.at(-1) : undefined;
  const home = agentId === undefined ? dirname(path) : dirname(dirname(dirname(path)));
  // A project's folder is named after the hash of its path.
  const share = dirname(dirname(dirname(home)));
  const hash = basename(dirname(home));
  const { data } = folders.safeParse(sideJson(join(share, 'kimi.json')));
  return {
    sessionId: basename(home),
    agentId,
    cwd: data?.work_dirs.find((folder) => md5(folder.path) === hash)?.path,
    begun: first && isoOf(first.timestamp * 1000),
  };
}
