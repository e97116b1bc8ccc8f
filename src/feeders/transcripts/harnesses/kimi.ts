import { basename, dirname, join } from 'node:path';
import { md5 } from '../../../core/hash.js';
import { parseJson } from '../../../core/json.js';
import { contentParts, contentShape } from '../../../core/parts.js';
import * as s from '../../../core/shape.js';
import { filesBelow } from '../files-below.js';
import type { FileHead, Harness, Identity } from '../harness.js';
import { KIMI_FILE, kimiSessions } from '../homes.js';
import { readRecords, sideJson } from '../records.js';
import { type Entry, isObject, isoOf, malformed, type Turn, titled, turn, wordsOf } from '../turns.js';

/**
 * Sessions of Kimi CLI: `sessions/<md5 of its folder>/<session id>/wire.jsonl`, each line an event with its time. Only
 * the path identifies session and folder. (The adjacent `context.jsonl` is the model's context, without times; a
 * compaction rewrites it.)
 */
const envelope = s.object({ type: s.string, payload: s.record });
const event = s.object({ timestamp: s.maybe(s.number), message: envelope });
const header = s.object({ type: s.literal('metadata'), protocol_version: s.string });

/** Commands that Kimi CLI answers itself, without the agent. */
const LOCAL =
  /^\s*\/(?:add-dir|afk|clear|compact|export|help|import|login|logout|mcp|model|new|plan|reset|sessions|usage|version|yolo)(?:\s|$)/;

const said = s.object({ user_input: contentShape });
const call = s.object({
  id: s.maybe(s.string),
  function: s.object({ name: s.orElse(s.string, 'unknown'), arguments: s.unknown }),
});
const result = s.object({
  tool_call_id: s.maybe(s.string),
  return_value: s.object({
    is_error: s.orElse(s.boolean, false),
    output: s.orElse(contentShape, null),
    message: s.orElse(s.string, ''),
  }),
});
const plan = s.object({ content: s.string });
/** Events of a sub-agent in old versions; newer ones set `agent_id` and write a separate file. */
const subagent = s.object({ agent_id: s.optional(s.literal(null)), event: envelope });
const folders = s.object({ work_dirs: s.array(s.orElse(s.object({ path: s.string }), { path: '' })) });
const state = s.object({ custom_title: s.name });

export const kimi: Harness = {
  name: 'kimi',
  label: 'Kimi CLI',
  patterns: ['**/*.jsonl'],
  places: (env) => [kimiSessions(env)],
  isTranscript: (path, has) =>
    !(/^context(?:_\w+)?\.jsonl$/.test(basename(path)) && has(join(dirname(path), KIMI_FILE))),
  recognises: ({ records }) =>
    records.some((json) => isObject(json) && 'timestamp' in json && s.shaped(event, json) !== undefined) ||
    (records.length === 1 && s.shaped(header, records[0]) !== undefined),
  identify: (head) => [identityOf(head)],
  idsAreUnique: true,
  async *read(conversation) {
    const { sessionId, agentId } = conversation.identity;
    const folder = dirname(conversation.files[0].path);
    if (sessionId !== undefined && agentId === undefined)
      yield* titled(s.shaped(state, sideJson(join(folder, 'state.json')))?.custom_title);
    yield* readRecords(conversation, readRecord);
  },
  filesOfSession,
};

/** Those of its sub-agents, and those in which it began or went on, in the folders of other projects. */
async function filesOfSession(path: string): Promise<string[]> {
  const home = dirname(path);
  const parts = await filesBelow(dirname(dirname(home)), [`*/${basename(home)}/${KIMI_FILE}`]);
  const agents = [home, ...parts.map(dirname)].map((folder) =>
    filesBelow(folder, [`subagents/*/${KIMI_FILE}`]),
  );
  return [...parts, ...(await Promise.all(agents)).flat()];
}

function timeOf({ timestamp }: s.Shaped<typeof event>): string | undefined {
  return timestamp === undefined ? undefined : isoOf(timestamp * 1000);
}

function readRecord(json: unknown, line: number): Entry[] | undefined {
  const data = s.shaped(event, json);
  return data && readEvent(data.message, timeOf(data), true, line);
}

/** @param person whether the user's words are a person's */
function readEvent(
  { type, payload }: s.Shaped<typeof envelope>,
  at: string | undefined,
  person: boolean,
  line: number,
): Entry[] {
  if (type === 'SubagentEvent') {
    const inner = s.shaped(subagent, payload);
    const events = inner === undefined ? [] : readEvent(inner.event, at, false, line);
    return events.map((each) => (each.kind === 'turn' ? { ...each, subagent: true } : each));
  }
  // Its summary is only in the model's context.
  if (type === 'CompactionEnd') return [{ kind: 'fact', compaction: {} }];
  const reader = Object.hasOwn(READERS, type) ? READERS[type] : undefined;
  if (reader === undefined) return [];
  const read = reader(payload);
  if (read === undefined) return [malformed(`${type} without its required fields`, line)];
  return [{ ...read, at, spoken: read.spoken && person }];
}

/** A reader for an event of this shape; undefined for an event without its fields. */
const reading =
  <T>(shape: s.Shape<T>, read: (payload: T) => Turn) =>
  (payload: unknown): Turn | undefined => {
    const found = s.shaped(shape, payload);
    return found && read(found);
  };

const usersWords = reading(said, ({ user_input }) => {
  const parts = contentParts(user_input);
  const own = LOCAL.test(wordsOf(parts));
  return turn('user', parts, { spoken: !own, synthetic: own });
});

/** By the type of an event. */
const READERS: Readonly<Record<string, (payload: unknown) => Turn | undefined>> = {
  TurnBegin: usersWords,
  SteerInput: usersWords,
  ContentPart: reading(s.record, (content) => turn('assistant', contentParts([content]))),
  ToolCall: reading(call, ({ id, function: { name, arguments: given } }) => {
    const input = typeof given === 'string' ? (parseJson(given) ?? given) : (given ?? '');
    return turn('assistant', [{ kind: 'call', id, name, input }]);
  }),
  ToolResult: reading(result, ({ tool_call_id: id, return_value: { output, message, is_error: error } }) => {
    const texts = contentParts(output).map((part) => wordsOf([part]));
    const text = [...texts, message].filter((each) => each !== '').join('\n');
    return turn('user', [{ kind: 'result', id, text, error }]);
  }),
  PlanDisplay: reading(plan, ({ content }) => turn('assistant', `[plan]\n${content}`)),
};

function identityOf({ path, records }: FileHead): Identity {
  if (basename(path) !== KIMI_FILE) return { sessionId: undefined };
  const [first] = records.flatMap((json) => s.shaped(event, json) ?? []);
  const parts = dirname(path).split(/[\\/]/);
  const agentId = parts.at(-2) === 'subagents' ? parts.at(-1) : undefined;
  const home = agentId === undefined ? dirname(path) : dirname(dirname(dirname(path)));
  // A project's folder is named after the hash of its path.
  const share = dirname(dirname(dirname(home)));
  const hash = basename(dirname(home));
  const data = s.shaped(folders, sideJson(join(share, 'kimi.json')));
  return {
    sessionId: basename(home),
    agentId,
    cwd: data?.work_dirs.find((folder) => md5(folder.path) === hash)?.path,
    begun: first && timeOf(first),
  };
}
