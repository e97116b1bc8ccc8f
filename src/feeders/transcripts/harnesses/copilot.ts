import { basename, dirname, join } from 'node:path';
import * as field from '../../../core/fields.js';
import { type Part, reasoningPart, textPart } from '../../../core/parts.js';
import { readLines } from '../../../platform/jsonl.js';
import { recordsIn } from '../damaged-lines.js';
import type { ConversationFiles, FileHead, Harness, Identity } from '../harness.js';
import { homeOf } from '../homes.js';
import { complete, jsonRecords, required, sideText, unknownRecord } from '../records.js';
import { type Step, withRewinds } from '../rewinds.js';
import { titled, turn } from '../turns.js';

/**
 * Sessions of GitHub Copilot CLI (`~/.copilot/session-state/<session id>/events.jsonl`). The log also contains the
 * sub-agents; their events have an `agentId`.
 */
function eventOf(json: unknown) {
  const [type, data] = [field.text(json, 'type'), field.object(json, 'data')];
  if (type === undefined || data === undefined) return undefined;
  const [id, at] = [field.text(json, 'id'), field.text(json, 'timestamp')];
  return { type, data, id, at, agentId: field.name(json, 'agentId'), parent: field.value(json, 'parentId') };
}
type Event = NonNullable<ReturnType<typeof eventOf>>;

const OWN = /^(?:session|user|assistant|system|tool|subagent|hook|skill)\.[a-z_]+$/;
const FILE = 'events.jsonl';
const RANK = { agent: 1, workspace: 2 };

export const copilot: Harness = {
  name: 'copilot',
  label: 'GitHub Copilot CLI',
  patterns: ['**/*.jsonl'],
  places: (env) => [join(homeOf(env, 'COPILOT_HOME', '.copilot'), 'session-state')],
  recognises: ({ records }) =>
    records.some((json) => {
      const { parent, type = '' } = eventOf(json) ?? {};
      return parent !== undefined && OWN.test(type);
    }),
  identify,
  idsAreUnique: true,
  async *read(conversation) {
    if (conversation.identity.agentId === undefined)
      yield* titled(field.text(await workspaceOf(conversation.files[0].path), 'name'), RANK.workspace);
    yield* withRewinds(() => steps(conversation));
  },
};

/** The session and its sub-agents, whose events can be anywhere in the file. */
async function identify({ path, records }: FileHead): Promise<Identity[]> {
  const start = records.map(eventOf).find((event) => event?.type === 'session.start')?.data;
  const workspace = await workspaceOf(path);
  const named = basename(path) === FILE ? undefined : basename(path, '.jsonl');
  const original = field.name(start, 'sessionId');
  const sessionId = field.text(workspace, 'id') ?? original ?? named;
  const cwd = field.text(workspace, 'cwd') ?? field.text(start, 'context', 'cwd');
  const { created_at: created } = workspace;
  const at = created instanceof Date ? created.toISOString() : field.text(created);
  const begun = at ?? field.text(start, 'startTime');
  // The log of a fork begins with that of its original.
  const copiedFrom = original !== undefined && original !== sessionId ? [original] : undefined;
  const session = { sessionId, cwd, begun, copiedFrom };
  const agents = new Map<string, string | undefined>();
  for await (const { text: line } of readLines(path)) {
    if (line?.includes('"agentId"') !== true) continue;
    for (const json of recordsIn(line)) {
      const { agentId, at } = eventOf(json) ?? {};
      if (agentId !== undefined && !agents.has(agentId)) agents.set(agentId, at);
    }
  }
  return [session, ...[...agents].map(([agentId, at]) => ({ ...session, agentId, begun: at ?? begun }))];
}

async function workspaceOf(path: string): Promise<field.Fields> {
  const yaml = basename(path) === FILE ? sideText(join(dirname(path), 'workspace.yaml')) : undefined;
  if (yaml === undefined) return {};
  const { parse } = await import('yaml');
  try {
    return field.object(parse(yaml)) ?? {};
  } catch {
    return {};
  }
}

async function* steps(conversation: ConversationFiles): AsyncGenerator<Step> {
  const { agentId } = conversation.identity;
  const log = new Log(agentId !== undefined);
  const seen = new Set<string>();
  for await (const line of jsonRecords(conversation)) {
    const event = eventOf('kind' in line ? undefined : line.json);
    if (event === undefined) {
      // An unreadable line is reported once, with the session.
      if (agentId === undefined) yield* 'kind' in line ? [line] : unknownRecord(line.json, line.line);
    } else if (event.agentId === agentId) {
      const read = complete(event.type, line.line, () => log.steps(event));
      const [step] = read;
      // The program may have deleted the removed messages from the file.
      if (step?.kind === 'rewind' && 'from' in step && !seen.has(step.from)) continue;
      if (event.id !== undefined) yield { kind: 'place', name: event.id };
      if (event.id !== undefined) seen.add(event.id);
      yield* read;
    }
  }
}

class Log {
  /** Ids of calls in the model's messages; the event of their start repeats them. */
  readonly #requested = new Set<string>();
  #reasoning: string | undefined;

  constructor(private readonly ofAgent: boolean) {}

  steps({ type, data, id, at }: Event): Step[] {
    switch (type) {
      case 'session.snapshot_rewind': {
        const from = field.text(data, 'upToEventId');
        return from === undefined ? [] : [{ kind: 'rewind', from, at }];
      }
      case 'session.compaction_complete':
      case 'session.handoff': {
        const text = field.text(data, 'summaryContent') ?? field.text(data, 'summary') ?? '';
        return text === '' ? [] : [{ kind: 'summary', text }];
      }
      case 'subagent.started': {
        const title = field.text(data, 'agentDescription') ?? field.text(data, 'agentDisplayName');
        return this.ofAgent ? titled(title, RANK.agent) : [];
      }
      case 'user.message': {
        const spoken = this.ofAgent || (field.text(data, 'source') ?? 'user') === 'user';
        return [turn('user', required(field.text(data, 'content')), { id, at, spoken, synthetic: !spoken })];
      }
      case 'assistant.message':
        return [turn('assistant', this.#answer(data), { id, at })];
      case 'assistant.reasoning': {
        const said = field.name(data, 'content');
        if (said === undefined) return [];
        this.#reasoning = said;
        return [turn('assistant', [reasoningPart(said)], { id, at })];
      }
      case 'tool.execution_start': {
        const call = required(field.text(data, 'toolCallId'));
        const name = required(field.text(data, 'toolName'));
        if (this.#requested.has(call)) return [];
        return [turn('assistant', [{ kind: 'call', id: call, name, input: data.arguments }], { id, at })];
      }
      case 'tool.execution_complete':
        return [turn('user', [resultOf(data)], { id, at })];
      case 'session.error': {
        const message = required(field.name(data, 'message'));
        return [turn('assistant', `[error] ${message}`, { id, at, synthetic: true })];
      }
      default:
        return [];
    }
  }

  #answer(data: field.Fields): Part[] {
    const parts: Part[] = [];
    const [reasoning, content] = [field.name(data, 'reasoningText'), field.name(data, 'content')];
    if (reasoning !== undefined && reasoning !== this.#reasoning) parts.push(reasoningPart(reasoning));
    this.#reasoning = undefined;
    if (content !== undefined) parts.push(textPart(content));
    for (const call of field.objects(data, 'toolRequests')) {
      const id = field.text(call, 'toolCallId');
      if (id !== undefined) this.#requested.add(id);
      parts.push({ kind: 'call', id, name: field.text(call, 'name') ?? 'unknown', input: call.arguments });
    }
    return parts;
  }
}

/** The program reports every finished command as a success, whatever its exit code. */
function resultOf(data: field.Fields): Part {
  const said = field.name(data, 'result', 'content') ?? field.text(data, 'result', 'detailedContent');
  const failure = field.text(data, 'error', 'message');
  const text = [said, failure].filter(Boolean).join('\n');
  const exitCode = field.number(data, 'shellExecution', 'exitCode') ?? 0;
  const error = data.success === false || failure !== undefined || exitCode !== 0;
  return { kind: 'result', id: field.text(data, 'toolCallId'), text, error };
}
