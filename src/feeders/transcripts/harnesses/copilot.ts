import { basename, dirname, join } from 'node:path';
import { z } from 'zod';
import { type Part, reasoningPart, textOf, textPart } from '../../../core/parts.js';
import { readLines } from '../../../platform/jsonl.js';
import { recordsIn } from '../damaged-lines.js';
import type { ConversationFiles, FileHead, Harness, Identity } from '../harness.js';
import { homeOf } from '../homes.js';
import { jsonRecords, sideText, unknownRecord } from '../records.js';
import { type Step, withRewinds } from '../rewinds.js';
import { complete, maybe, optionalName, optionalText } from '../schemas.js';
import { titled, turn } from '../turns.js';

/**
 * Sessions of GitHub Copilot CLI (`~/.copilot/session-state/<session id>/events.jsonl`). The log also contains the
 * sub-agents; their events have an `agentId`.
 */
const record = z.looseObject({
  type: z.string(),
  data: z.looseObject({}),
  id: optionalText,
  timestamp: optionalText,
  agentId: optionalName,
});
type Event = z.infer<typeof record>;
const OWN = /^(?:session|user|assistant|system|tool|subagent|hook|skill)\.[a-z_]+$/;

const start = z.object({
  sessionId: z.string().min(1),
  startTime: optionalText,
  context: maybe(z.looseObject({ cwd: optionalText })),
});
const workspace = z.object({
  id: optionalText,
  cwd: optionalText,
  name: optionalText,
  created_at: z.unknown().optional(),
});
const question = z.object({ content: z.string(), source: optionalText });
const request = z.looseObject({ toolCallId: optionalText, name: z.string().catch('unknown') });
const answer = z.object({
  content: z.string().catch(''),
  reasoningText: optionalText,
  toolRequests: z.array(request).catch([]),
});
const started = z.object({ toolCallId: z.string(), toolName: z.string(), arguments: z.unknown().optional() });
const done = z.object({
  toolCallId: optionalText,
  success: z.boolean().catch(true),
  result: maybe(z.looseObject({ content: optionalText, detailedContent: optionalText })),
  error: maybe(z.looseObject({ message: z.string() })),
  shellExecution: maybe(z.looseObject({ exitCode: z.number() })),
});
const failure = z.object({ message: z.string().min(1) });
const subagent = z.object({ agentDescription: optionalText, agentDisplayName: optionalText });

const FILE = 'events.jsonl';
const RANK = { agent: 1, workspace: 2 };

export const copilot: Harness = {
  name: 'copilot',
  label: 'GitHub Copilot CLI',
  patterns: ['**/*.jsonl'],
  places: (env) => [join(homeOf(env, 'COPILOT_HOME', '.copilot'), 'session-state')],
  recognises: ({ records }) =>
    records.some((json) => {
      const { data } = record.safeParse(json);
      return data?.parentId !== undefined && OWN.test(data.type);
    }),
  identify,
  idsAreUnique: true,
  async *read(conversation) {
    if (conversation.identity.agentId === undefined)
      yield* titled((await workspaceOf(conversation.files[0].path)).name, RANK.workspace);
    yield* withRewinds(() => steps(conversation));
  },
};

/** The session and its sub-agents, whose events can be anywhere in the file. */
async function identify({ path, records }: FileHead): Promise<Identity[]> {
  const [first] = records.flatMap((json) => {
    const event = record.safeParse(json).data;
    return event?.type === 'session.start' ? (start.safeParse(event.data).data ?? []) : [];
  });
  const { id, cwd = first?.context?.cwd, created_at: created } = await workspaceOf(path);
  const named = basename(path) === FILE ? undefined : basename(path, '.jsonl');
  const sessionId = id ?? first?.sessionId ?? named;
  const begun = created instanceof Date ? created.toISOString() : (textOf(created) ?? first?.startTime);
  // The log of a fork begins with that of its original.
  const copiedFrom = first !== undefined && first.sessionId !== sessionId ? [first.sessionId] : undefined;
  const session = { sessionId, cwd, begun, copiedFrom };
  const agents = new Map<string, string | undefined>();
  for await (const { text: line } of readLines(path)) {
    if (line?.includes('"agentId"') !== true) continue;
    for (const json of recordsIn(line)) {
      const { agentId, timestamp } = record.safeParse(json).data ?? {};
      if (agentId !== undefined && !agents.has(agentId)) agents.set(agentId, timestamp);
    }
  }
  return [session, ...[...agents].map(([agentId, at]) => ({ ...session, agentId, begun: at ?? begun }))];
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
    const { data } = record.safeParse('kind' in line ? undefined : line.json);
    if (data === undefined) {
      // An unreadable line is reported once, with the session.
      if (agentId === undefined) yield* 'kind' in line ? [line] : unknownRecord(line.json, line.line);
    } else if (data.agentId === agentId) {
      const read = complete<Step>(data.type, line.line, () => log.steps(data));
      const [step] = read;
      // The program may have deleted the removed messages from the file.
      if (step?.kind === 'rewind' && 'from' in step && !seen.has(step.from)) continue;
      if (data.id !== undefined) yield { kind: 'place', name: data.id };
      if (data.id !== undefined) seen.add(data.id);
      yield* read;
    }
  }
}

class Log {
  /** Ids of calls in the model's messages; the event of their start repeats them. */
  readonly #requested = new Set<string>();
  #reasoning: string | undefined;

  constructor(private readonly ofAgent: boolean) {}

  /** @throws ZodError for an event of a known type without its fields */
  steps({ type, data, id, timestamp: at }: Event): Step[] {
    switch (type) {
      case 'session.snapshot_rewind': {
        const from = textOf(data.upToEventId);
        return from === undefined ? [] : [{ kind: 'rewind', from, at }];
      }
      case 'session.compaction_complete':
      case 'session.handoff': {
        const text = textOf(data.summaryContent) ?? textOf(data.summary) ?? '';
        return text === '' ? [] : [{ kind: 'summary', text }];
      }
      case 'subagent.started': {
        const { agentDescription, agentDisplayName } = subagent.safeParse(data).data ?? {};
        return this.ofAgent ? titled(agentDescription ?? agentDisplayName, RANK.agent) : [];
      }
      case 'user.message': {
        const { content, source = 'user' } = question.parse(data);
        const spoken = this.ofAgent || source === 'user';
        return [turn('user', content, { id, at, spoken, synthetic: !spoken })];
      }
      case 'assistant.message':
        return [turn('assistant', this.#answer(answer.parse(data)), { id, at })];
      case 'assistant.reasoning': {
        const said = textOf(data.content);
        if (!said) return [];
        this.#reasoning = said;
        return [turn('assistant', [reasoningPart(said)], { id, at })];
      }
      case 'tool.execution_start': {
        const { toolCallId, toolName: name, arguments: input } = started.parse(data);
        if (this.#requested.has(toolCallId)) return [];
        return [turn('assistant', [{ kind: 'call', id: toolCallId, name, input }], { id, at })];
      }
      case 'tool.execution_complete':
        return [turn('user', [resultOf(done.parse(data))], { id, at })];
      case 'session.error':
        return [turn('assistant', `[error] ${failure.parse(data).message}`, { id, at, synthetic: true })];
      default:
        return [];
    }
  }

  #answer({ content, reasoningText, toolRequests }: z.infer<typeof answer>): Part[] {
    const parts: Part[] = [];
    if (reasoningText && reasoningText !== this.#reasoning) parts.push(reasoningPart(reasoningText));
    this.#reasoning = undefined;
    if (content !== '') parts.push(textPart(content));
    for (const { toolCallId: id, name, arguments: input } of toolRequests) {
      if (id !== undefined) this.#requested.add(id);
      parts.push({ kind: 'call', id, name, input });
    }
    return parts;
  }
}

/** The program reports every finished command as a success, whatever its exit code. */
function resultOf({ toolCallId: id, success, result, error, shellExecution }: z.infer<typeof done>): Part {
  const said = result?.content || result?.detailedContent;
  const text = [said, error?.message].filter(Boolean).join('\n');
  const failed = !success || error !== undefined || (shellExecution?.exitCode ?? 0) !== 0;
  return { kind: 'result', id, text, error: failed };
}
