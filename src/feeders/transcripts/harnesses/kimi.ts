import { basename, dirname, join } from 'node:path';
import * as field from '../../../core/fields.js';
import { md5 } from '../../../core/hash.js';
import { parseJson } from '../../../core/json.js';
import { contentAt, contentParts } from '../../../core/parts.js';
import { filesBelow } from '../files-below.js';
import type { FileHead, Harness, Identity } from '../harness.js';
import { KIMI_FILE, kimiSessions } from '../homes.js';
import { complete, readRecords, required, sideJson } from '../records.js';
import { type Entry, isoOf, type Turn, titled, turn, wordsOf } from '../turns.js';

/**
 * Sessions of Kimi CLI: `sessions/<md5 of its folder>/<session id>/wire.jsonl`, each line an event with its time. Only
 * the path identifies session and folder. (The adjacent `context.jsonl` is the model's context, without times; a
 * compaction rewrites it.)
 */
function eventIn(json: unknown) {
  const [type, payload] = [field.text(json, 'type'), field.object(json, 'payload')];
  return type === undefined || payload === undefined ? undefined : { type, payload };
}
type Event = NonNullable<ReturnType<typeof eventIn>>;

const messageIn = (json: unknown) => eventIn(field.value(json, 'message'));

/** Commands that Kimi CLI answers itself, without the agent. */
const LOCAL =
  /^\s*\/(?:add-dir|afk|clear|compact|export|help|import|login|logout|mcp|model|new|plan|reset|sessions|usage|version|yolo)(?:\s|$)/;

export const kimi: Harness = {
  name: 'kimi',
  label: 'Kimi CLI',
  patterns: ['**/*.jsonl'],
  places: (env) => [kimiSessions(env)],
  isTranscript: (path, has) =>
    !(/^context(?:_\w+)?\.jsonl$/.test(basename(path)) && has(join(dirname(path), KIMI_FILE))),
  recognises: ({ records }) =>
    records.some((json) => field.value(json, 'timestamp') !== undefined && messageIn(json) !== undefined) ||
    (records.length === 1 && isHeader(records[0])),
  identify: (head) => [identityOf(head)],
  idsAreUnique: true,
  async *read(conversation) {
    const { sessionId, agentId } = conversation.identity;
    const folder = dirname(conversation.files[0].path);
    if (sessionId !== undefined && agentId === undefined)
      yield* titled(field.text(sideJson(join(folder, 'state.json')), 'custom_title'));
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

const isHeader = (json: unknown): boolean =>
  field.text(json, 'type') === 'metadata' && field.text(json, 'protocol_version') !== undefined;

function timeOf(json: unknown): string | undefined {
  const seconds = field.number(json, 'timestamp');
  return seconds === undefined ? undefined : isoOf(seconds * 1000);
}

function readRecord(json: unknown, line: number): Entry[] | undefined {
  const event = messageIn(json);
  return event && readEvent(event, timeOf(json), true, line);
}

/** @param person whether the user's words are a person's */
function readEvent({ type, payload }: Event, at: string | undefined, person: boolean, line: number): Entry[] {
  if (type === 'SubagentEvent') {
    // Old versions; newer ones set `agent_id` and write a separate file.
    const inner = (payload.agent_id ?? null) === null ? eventIn(payload.event) : undefined;
    const events = inner === undefined ? [] : readEvent(inner, at, false, line);
    return events.map((each) => (each.kind === 'turn' ? { ...each, subagent: true } : each));
  }
  // Its summary is only in the model's context.
  if (type === 'CompactionEnd') return [{ kind: 'fact', compaction: {} }];
  const reader = Object.hasOwn(READERS, type) ? READERS[type] : undefined;
  if (reader === undefined) return [];
  return complete(type, line, () => {
    const read = reader(payload);
    return [{ ...read, at, spoken: read.spoken && person }];
  });
}

const usersWords = (payload: field.Fields): Turn => {
  const parts = contentParts(required(contentAt(payload, 'user_input')));
  const own = LOCAL.test(wordsOf(parts));
  return turn('user', parts, { spoken: !own, synthetic: own });
};

const READERS: Readonly<Record<string, (payload: field.Fields) => Turn>> = {
  TurnBegin: usersWords,
  SteerInput: usersWords,
  ContentPart: (content) => turn('assistant', contentParts([content])),
  ToolCall({ id, function: called }) {
    const given = required(field.object(called)).arguments;
    const input = typeof given === 'string' ? (parseJson(given) ?? given) : (given ?? '');
    const name = field.text(called, 'name') ?? 'unknown';
    return turn('assistant', [{ kind: 'call', id: field.text(id), name, input }]);
  },
  ToolResult({ tool_call_id: id, return_value: value }) {
    const { is_error: isError } = required(field.object(value));
    const texts = contentParts(contentAt(value, 'output') ?? null).map((part) => wordsOf([part]));
    const text = [...texts, field.text(value, 'message')].filter(Boolean).join('\n');
    return turn('user', [{ kind: 'result', id: field.text(id), text, error: isError === true }]);
  },
  PlanDisplay: (plan) => turn('assistant', `[plan]\n${required(field.text(plan, 'content'))}`),
};

function identityOf({ path, records }: FileHead): Identity {
  if (basename(path) !== KIMI_FILE) return { sessionId: undefined };
  const first = records.find((json) => messageIn(json) !== undefined);
  const parts = dirname(path).split(/[\\/]/);
  const agentId = parts.at(-2) === 'subagents' ? parts.at(-1) : undefined;
  const home = agentId === undefined ? dirname(path) : dirname(dirname(dirname(path)));
  // A project's folder is named after the hash of its path.
  const share = dirname(dirname(dirname(home)));
  const hash = basename(dirname(home));
  const folders = field.objects(sideJson(join(share, 'kimi.json')), 'work_dirs');
  return {
    sessionId: basename(home),
    agentId,
    cwd: folders.flatMap((folder) => field.text(folder, 'path') ?? []).find((path) => md5(path) === hash),
    begun: timeOf(first),
  };
}
