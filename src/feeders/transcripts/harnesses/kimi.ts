import { basename, dirname, join } from 'node:path';
import { md5 } from '../../../core/hash.js';
import { parseJson } from '../../../core/json.js';
import { contentParts, contentShape } from '../../../core/parts.js';
import {
  array,
  boolean,
  literal,
  looseObject,
  name,
  number,
  object,
  optional,
  orElse,
  record,
  type Shape,
  type Shaped,
  shaped,
  string,
  union,
} from '../../../core/shape.js';
import type { FileHead, Harness, Identity } from '../harness.js';
import { filesBelow } from '../head.js';
import { KIMI_FILE, kimiSessions } from '../homes.js';
import { readRecords, sideJson } from '../records.js';
import { type Entry, isoOf, malformed, type Turn, titled, turn, wordsOf } from '../turns.js';

/**
 * Sessions of Kimi CLI: `sessions/<md5 of its folder>/<session id>/wire.jsonl`, each line an event with its time. Only
 * the path identifies session and folder. (The adjacent `context.jsonl` is the model's context, without times; a
 * compaction rewrites it.)
 */
const envelope = object({ type: string, payload: record });
const event = object({ timestamp: number, message: envelope });
const header = object({ type: literal('metadata'), protocol_version: string });

/** Commands that Kimi CLI answers itself, without the agent. */
const LOCAL =
  /^\s*\/(?:add-dir|afk|clear|compact|export|help|import|login|logout|mcp|model|new|plan|reset|sessions|usage|version|yolo)(?:\s|$)/;

const said = object({ user_input: contentShape });
const block = looseObject({ type: string });
const call = object({
  id: string,
  function: object({ name: string, arguments: optional(union(string, literal(null))) }),
});
const result = object({
  tool_call_id: string,
  return_value: object({ is_error: boolean, output: contentShape, message: orElse(string, '') }),
});
const plan = object({ content: string });
/** Events of a sub-agent in old versions; newer ones set `agent_id` and write a separate file. */
const subagent = object({ agent_id: optional(literal(null)), event: envelope });
const folders = object({ work_dirs: array(orElse(object({ path: string }), { path: '' })) });
const state = object({ custom_title: name });

export const kimi: Harness = {
  name: 'kimi',
  label: 'Kimi CLI',
  patterns: ['**/*.jsonl'],
  places: (env) => [kimiSessions(env)],
  isTranscript: (path, has) =>
    !(/^context(?:_\w+)?\.jsonl$/.test(basename(path)) && has(join(dirname(path), KIMI_FILE))),
  recognises: ({ records }) =>
    records.some((json) => shaped(event, json) !== undefined) ||
    (records.length === 1 && shaped(header, records[0]) !== undefined),
  identify: (head) => [identityOf(head)],
  idsAreUnique: true,
  async *read(conversation) {
    const { sessionId, agentId } = conversation.identity;
    const folder = dirname(conversation.files[0].path);
    if (sessionId !== undefined && agentId === undefined)
      yield* titled(shaped(state, sideJson(join(folder, 'state.json')))?.custom_title);
    yield* readRecords(conversation, readRecord);
  },
  filesOfSession: (path) => filesBelow(dirname(path), [`subagents/*/${KIMI_FILE}`]),
};

function readRecord(json: unknown, line: number): Entry[] | undefined {
  const data = shaped(event, json);
  return data && readEvent(data.message, isoOf(data.timestamp * 1000), true, line);
}

/** @param person whether the user's words are a person's */
function readEvent(
  { type, payload }: Shaped<typeof envelope>,
  at: string | undefined,
  person: boolean,
  line: number,
): Entry[] {
  if (type === 'SubagentEvent') {
    const inner = shaped(subagent, payload);
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
  <T>(shape: Shape<T>, read: (payload: T) => Turn) =>
  (payload: unknown): Turn | undefined => {
    const found = shaped(shape, payload);
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
  ContentPart: reading(block, (content) => turn('assistant', contentParts([content]))),
  ToolCall: reading(call, ({ id, function: { name, arguments: given } }) => {
    const parsed = parseJson(given ?? '');
    const input = parsed === undefined ? (given ?? '') : parsed;
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
  const [first] = records.flatMap((json) => shaped(event, json) ?? []);
  const parts = dirname(path).split(/[\\/]/);
  const agentId = parts.at(-2) === 'subagents' ? parts.at(-1) : undefined;
  const home = agentId === undefined ? dirname(path) : dirname(dirname(dirname(path)));
  // A project's folder is named after the hash of its path.
  const share = dirname(dirname(dirname(home)));
  const hash = basename(dirname(home));
  const data = shaped(folders, sideJson(join(share, 'kimi.json')));
  return {
    sessionId: basename(home),
    agentId,
    cwd: data?.work_dirs.find((folder) => md5(folder.path) === hash)?.path,
    begun: first && isoOf(first.timestamp * 1000),
  };
}
