import { basename, dirname, join } from 'node:path';
import { z } from 'zod';
import { readLines } from '../../../platform/jsonl.js';
import type { Part, Turn } from '../entry.js';
import type { ConversationFiles, FileHead, Harness, Identity } from '../harness.js';
import { homeOf } from '../homes.js';
import { jsonRecords, otherRecord, textOf } from '../records.js';
import { mentions, type Step, withRewinds } from '../rewinds.js';
import { sideText } from '../side-files.js';

/**
 * The events of a session of GitHub Copilot CLI (`~/.copilot/session-state/<session id>/events.jsonl`). Sub-agents are
 * in the log of their session; the id of the agent tells whose an event is.
 */
const record = z.looseObject({
  type: z.string(),
  data: z.looseObject({}),
  id: z.string().optional().catch(undefined),
  timestamp: z.string().optional().catch(undefined),
  agentId: z.string().min(1).optional().catch(undefined),
});
type Event = z.infer<typeof record>;
const OWN = /^(?:session|user|assistant|system|tool|subagent|hook|skill)\.[a-z_]+$/;

const text = z.string().optional().catch(undefined);
const start = z.object({
  sessionId: z.string().min(1),
  startTime: text,
  context: z.looseObject({ cwd: text }).optional().catch(undefined),
});
const workspace = z.object({ id: text, cwd: text, name: text, created_at: z.unknown().optional() });
const question = z.object({ content: z.string(), source: text });
const request = z.looseObject({ toolCallId: text, name: z.string().catch('unknown') });
const answer = z.object({
  content: z.string().catch(''),
  reasoningText: text,
  toolRequests: z.array(request).catch([]),
});
const started = z.object({ toolCallId: z.string(), toolName: z.string(), arguments: z.unknown().optional() });
const done = z.object({
  toolCallId: text,
  success: z.boolean().catch(true),
  result: z.looseObject({ content: text, detailedContent: text }).optional().catch(undefined),
  error: z.looseObject({ message: z.string() }).optional().catch(undefined),
  shellExecution: z.looseObject({ exitCode: z.number() }).optional().catch(undefined),
});
const subagent = z.object({ agentDescription: text, agentDisplayName: text });

const FILE = 'events.jsonl';
const RANK = { agent: 1, workspace: 2 };

export const copilot: Harness = {
  name: 'copilot',
  label: 'GitHub Copilot CLI',
  version: 1,
  places: (env) => [join(homeOf(env, 'COPILOT_HOME', '.copilot'), 'session-state')],
  patterns: ['**/*.jsonl'],
  recognises: ({ records }) =>
    records.some((json) => {
      const { data } = record.safeParse(json);
      return data?.parentId !== undefined && OWN.test(data.type);
    }),
  identify,
  idsAreUnique: true,
  sameSession: 'newest',
  async *read(conversation) {
    const [file] = conversation.files;
    if (file !== undefined && conversation.identity.agentId === undefined) {
      const { name } = await workspaceOf(file.path);
      if (name !== undefined) yield { kind: 'fact', title: { text: name, rank: RANK.workspace } };
    }
    const mayRewind = await mentions(conversation, ['"session.snapshot_rewind"']);
    yield* withRewinds(() => steps(conversation), mayRewind);
  },
};

/** The session, and each of its sub-agents: their events are anywhere in the file. */
async function identify({ path, records }: FileHead): Promise<Identity[]> {
  const first = records.flatMap((json) => {
    const event = record.safeParse(json).data;
    return event?.type === 'session.start' ? (start.safeParse(event.data).data ?? []) : [];
  })[0];
  const { id, cwd = first?.context?.cwd, created_at: created } = await workspaceOf(path);
  const named = basename(path) === FILE ? undefined : basename(path, '.jsonl');
  const sessionId = id ?? first?.sessionId ?? named;
  const begun = created instanceof Date ? created.toISOString() : (textOf(created) ?? first?.startTime);
  // The log of a fork begins with that of its original.
  const copied = first !== undefined && first.sessionId !== sessionId ? [first.sessionId] : undefined;
  const session = { sessionId, cwd, begun, copiedFrom: copied };
  const agents = await agentsIn(path);
  return [session, ...[...agents].map(([agentId, at]) => ({ ...session, agentId, begun: at ?? begun }))];
}

/** Ids of sub-agents, and when they began. */
async function agentsIn(path: string): Promise<Map<string, string | undefined>> {
  const agents = new Map<string, string | undefined>();
  for await (const { text: line } of readLines(path)) {
    if (line?.includes('"agentId"') !== true) continue;
    try {
      const { agentId, timestamp } = record.parse(JSON.parse(line));
      if (agentId !== undefined && !agents.has(agentId)) agents.set(agentId, timestamp);
    } catch {
      // The reader names lines that it cannot read.
    }
  }
  return agents;
}

async function workspaceOf(path: string): Promise<Partial<z.infer<typeof workspace>>> {
  const yaml = basename(path) === FILE ? sideText(join(dirname(path), 'workspace.yaml')) : undefined;
  if (yaml === undefined) return {};
  const { parse } = await import('yaml');
  try {
    return workspace.safeParse(parse(yaml)).data ?? {};
  } catch {
    return {};
  }
}

async function* steps(conversation: ConversationFiles): AsyncGenerator<Step> {
  const { agentId } = conversation.identity;
  const log = new Log(agentId !== undefined);
  const seen = new Set<string>();
  for await (const line of jsonRecords(conversation)) {
    if ('kind' in line) {
      // A line that cannot be read is named once, with the session.
      if (agentId === undefined) yield line;
      continue;
    }
    const { data } = record.safeParse(line.json);
    if (data === undefined) {
      if (agentId === undefined) yield otherRecord(line.json, line.line);
    } else if (data.agentId === agentId) {
      const step = log.step(data, line.line);
      // What was taken back may be gone from the file.
      if (step.kind === 'rewind' && 'from' in step && !seen.has(step.from)) continue;
      if (data.id !== undefined) {
        seen.add(data.id);
        yield { kind: 'place', name: data.id };
      }
      yield step;
    }
  }
}

class Log {
  readonly #ofAgent: boolean;
  /** Calls that a message of the model asked for; the start of each repeats it. */
  readonly #requested = new Set<string>();
  #reasoning: string | undefined;

  constructor(ofAgent: boolean) {
    this.#ofAgent = ofAgent;
  }

  step(event: Event, line: number): Step {
    const { type, data, timestamp: at } = event;
    if (type === 'session.snapshot_rewind') {
      const from = textOf(data.upToEventId);
      return from === undefined ? { kind: 'ignored', type } : { kind: 'rewind', from, at };
    }
    if (type === 'session.compaction_complete' || type === 'session.handoff') {
      const summary = textOf(data.summaryContent) ?? textOf(data.summary) ?? '';
      return summary === '' ? { kind: 'ignored', type } : { kind: 'summary', text: summary };
    }
    if (type === 'subagent.started') {
      const { agentDescription, agentDisplayName } = subagent.safeParse(data).data ?? {};
      const title = agentDescription ?? agentDisplayName;
      return { kind: 'fact', title: this.#ofAgent && title ? { text: title, rank: RANK.agent } : undefined };
    }
    const read = this.#turn(event);
    if (read === 'malformed')
      return { kind: 'malformed', line, reason: `${type} without what it should contain` };
    return read ?? { kind: 'ignored', type };
  }

  #turn({ type, data, id, timestamp: at }: Event): Turn | 'malformed' | undefined {
    const turn = (role: Turn['role'], parts: Part[], spoken = false, synthetic = false): Turn => ({
      kind: 'turn',
      role,
      parts,
      id,
      at,
      spoken,
      synthetic,
      ignored: [],
    });
    if (type === 'user.message') {
      const said = question.safeParse(data).data;
      if (said === undefined) return 'malformed';
      const spoken = this.#ofAgent || said.source === undefined || said.source === 'user';
      return turn('user', [{ kind: 'text', text: said.content }], spoken, !spoken);
    }
    if (type === 'assistant.message') {
      const said = answer.safeParse(data).data;
      return said === undefined ? 'malformed' : turn('assistant', this.#answer(said));
    }
    if (type === 'assistant.reasoning') {
      const said = textOf(data.content);
      if (said === undefined || said === '') return undefined;
      this.#reasoning = said;
      return turn('assistant', [{ kind: 'text', text: `[reasoning] ${said}` }]);
    }
    if (type === 'tool.execution_start') {
      const call = started.safeParse(data).data;
      if (call === undefined) return 'malformed';
      if (this.#requested.has(call.toolCallId)) return undefined;
      const part: Part = { kind: 'call', id: call.toolCallId, name: call.toolName, input: call.arguments };
      return turn('assistant', [part]);
    }
    if (type === 'tool.execution_complete') {
      const result = done.safeParse(data).data;
      return result === undefined ? 'malformed' : turn('user', [resultOf(result)]);
    }
    if (type === 'session.error') {
      const message = textOf(data.message);
      if (message === undefined || message === '') return 'malformed';
      return turn('assistant', [{ kind: 'text', text: `[error] ${message}` }], false, true);
    }
    return undefined;
  }

  #answer({ content, reasoningText, toolRequests }: z.infer<typeof answer>): Part[] {
    const parts: Part[] = [];
    if (reasoningText !== undefined && reasoningText !== '' && reasoningText !== this.#reasoning)
      parts.push({ kind: 'text', text: `[reasoning] ${reasoningText}` });
    this.#reasoning = undefined;
    if (content !== '') parts.push({ kind: 'text', text: content });
    for (const { toolCallId: id, name, arguments: input } of toolRequests) {
      if (id !== undefined) this.#requested.add(id);
      parts.push({ kind: 'call', id, name, input });
    }
    return parts;
  }
}

/** A command that ended with another code than 0 is a success to the program. */
function resultOf({ toolCallId: id, success, result, error, shellExecution }: z.infer<typeof done>): Part {
  const said = result?.content || result?.detailedContent || '';
  const text = [said, error?.message ?? ''].filter((each) => each !== '').join('\n');
  const failed = !success || error !== undefined || (shellExecution?.exitCode ?? 0) !== 0;
  return { kind: 'result', id, text, error: failed };
}
