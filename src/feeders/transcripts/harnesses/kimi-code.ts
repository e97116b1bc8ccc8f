import { basename, dirname, join } from 'node:path';
import { z } from 'zod';
import { sha256 } from '../../../core/hash.js';
import type { Part, Turn } from '../entry.js';
import type { ConversationFiles, FileHead, Harness, Identity } from '../harness.js';
import { homeOf } from '../homes.js';
import { jsonRecords, otherRecord, textOf } from '../records.js';
import { mentions, type Step, withRewinds } from '../rewinds.js';
import { sideJson, sideText } from '../side-files.js';

/**
 * Sessions of Kimi Code (`~/.kimi-code/sessions/<folder>/<session id>/agents/<agent>/wire.jsonl`), another program than
 * Kimi CLI. The log says everything twice: prompts and steps as they happen are read, `agent.message.appended` is not.
 */
const block = z.looseObject({ type: z.string() });
const content = z.union([z.string(), z.array(block)]);
const origin = z.looseObject({ kind: z.string() }).optional().catch(undefined);
const record = z.looseObject({ type: z.string(), time: z.number().optional().catch(undefined) });
const header = z.object({
  type: z.literal('metadata'),
  protocol_version: z.string(),
  created_at: z.number(),
});
const OWN = /^(?:turn|context|runtime|profile|permission|llm|usage|config|tools|agent|token_counting)\.\w/;

const prompt = z.object({ input: content, origin, promptId: z.string().optional().catch(undefined) });
const appended = z.object({
  message: z.looseObject({ role: z.string(), content, origin, id: z.string().optional().catch(undefined) }),
});
const loop = z.object({ event: z.looseObject({ type: z.string() }) });
const said = z.object({ uuid: z.string(), part: block });
const call = z.object({
  uuid: z.string(),
  stepUuid: z.string().catch(''),
  toolCallId: z.string(),
  name: z.string().catch('unknown'),
  args: z.unknown().optional(),
});
const result = z.object({
  parentUuid: z.string().catch(''),
  toolCallId: z.string(),
  result: z.looseObject({ output: content.catch(''), isError: z.boolean().optional().catch(undefined) }),
});
const failure = z.object({
  message: z.string().optional().catch(undefined),
  reason: z.string().optional().catch(undefined),
  error: z.looseObject({ message: z.string() }).optional().catch(undefined),
});
const compaction = z.object({ summary: z.string().min(1) });
const undo = z.object({ count: z.number().optional(), turns: z.number().optional() });

const state = z.looseObject({
  id: z.string().min(1).optional().catch(undefined),
  cwd: z.string().min(1).optional().catch(undefined),
  title: z.string().min(1).optional().catch(undefined),
  forkedFrom: z.string().min(1).optional().catch(undefined),
  createdAt: z.union([z.number(), z.string()]).optional().catch(undefined),
});
const indexed = z.object({ sessionId: z.string(), workDir: z.string().min(1) });

export const kimiCode: Harness = {
  name: 'kimi-code',
  label: 'Kimi Code',
  version: 1,
  places: (env) => [join(homeOf(env, 'KIMI_CODE_HOME', '.kimi-code'), 'sessions')],
  patterns: ['**/*.jsonl'],
  recognises: ({ records }) =>
    records.some((json) => {
      const { data } = record.safeParse(json);
      return (data?.time !== undefined && OWN.test(data.type)) || header.safeParse(json).success;
    }),
  identify: (head) => [identityOf(head)],
  idsAreUnique: true,
  sameSession: 'newest',
  async *read(conversation) {
    const { agentId } = conversation.identity;
    const [file] = conversation.files;
    const { title } = file === undefined || agentId !== undefined ? {} : stateOf(file.path);
    if (title !== undefined) yield { kind: 'fact', title: { text: title, rank: 1 } };
    const mayRewind = await mentions(conversation, ['"context.und']);
    yield* withRewinds(() => steps(conversation), mayRewind);
  },
};

function identityOf({ path, records }: FileHead): Identity {
  const begun = records.flatMap((json) => header.safeParse(json).data?.created_at ?? [])[0];
  const agents = dirname(dirname(path));
  if (basename(agents) !== 'agents') return { sessionId: undefined, begun: isoOf(begun) };
  const home = dirname(agents);
  const agent = basename(dirname(path));
  const { id, cwd, forkedFrom, createdAt } = stateOf(path);
  const sessionId = id ?? basename(home);
  return {
    sessionId,
    agentId: agent === 'main' ? undefined : agent,
    cwd: cwd ?? workFolder(dirname(dirname(dirname(home))), sessionId),
    // The log of a fork has the beginning of its original.
    begun: forkedFrom === undefined ? isoOf(begun ?? createdAt) : isoOf(createdAt ?? begun),
    copiedFrom: forkedFrom === undefined ? undefined : [forkedFrom],
  };
}

function stateOf(path: string): Partial<z.infer<typeof state>> {
  return state.safeParse(sideJson(join(dirname(dirname(dirname(path))), 'state.json'))).data ?? {};
}

function workFolder(home: string, sessionId: string): string | undefined {
  const lines = (sideText(join(home, 'session_index.jsonl')) ?? '').split('\n').reverse();
  for (const line of lines) {
    if (!line.includes(sessionId)) continue;
    try {
      const { data } = indexed.safeParse(JSON.parse(line));
      if (data?.sessionId === sessionId) return data.workDir;
    } catch {
      // A line that was cut off: an earlier one may name the folder.
    }
  }
  return undefined;
}

function isoOf(time: number | string | undefined): string | undefined {
  if (time === undefined) return undefined;
  const date = new Date(time);
  return Number.isNaN(date.getTime()) ? undefined : date.toISOString();
}

async function* steps(conversation: ConversationFiles): AsyncGenerator<Step> {
  const log = new Log(conversation.identity.agentId !== undefined);
  for await (const line of jsonRecords(conversation)) {
    if ('kind' in line) {
      yield line;
      continue;
    }
    const { data } = record.safeParse(line.json);
    if (data === undefined) yield otherRecord(line.json, line.line);
    else yield log.step(data, line.line);
  }
}

class Log {
  readonly #ofAgent: boolean;
  /** Texts of prompts that the context has not received yet, by number. */
  readonly #prompted = new Map<string, number>();
  /** Step of each call without a result: ids of calls are the provider's, and not unique. */
  readonly #calls = new Map<string, string>();
  #summary = '';
  #error: string | undefined;
  /** The last record was `context.undo`, which `context.undone` repeats. */
  #undone = false;

  constructor(ofAgent: boolean) {
    this.#ofAgent = ofAgent;
  }

  step(data: z.infer<typeof record>, line: number): Step {
    const { type, time } = data;
    const at = isoOf(time);
    const repeatsUndo = this.#undone && type === 'context.undone';
    this.#undone = type === 'context.undo';
    const read =
      type === 'turn.prompt' || type === 'turn.steer'
        ? this.#prompt(data, at)
        : type === 'context.append_message'
          ? this.#appended(data, at)
          : type === 'context.append_loop_event'
            ? this.#event(data, at)
            : undefined;
    if (read === 'malformed')
      return { kind: 'malformed', line, reason: `${type} without what it should contain` };
    if (read !== undefined) return read;
    if (type === 'context.apply_compaction') {
      this.#summary = compaction.safeParse(data).data?.summary ?? '';
      if (this.#summary !== '') return { kind: 'summary', text: this.#summary };
    }
    if (type === 'turn.step.interrupted' || type === 'turn.ended') {
      const failed = this.#failure(data, at);
      if (failed !== undefined) return failed;
    }
    if ((type === 'context.undo' || type === 'context.undone') && !repeatsUndo) {
      const { count, turns } = undo.safeParse(data).data ?? {};
      return { kind: 'rewind', exchanges: count ?? turns ?? 1, at };
    }
    return { kind: 'ignored', type };
  }

  #prompt(data: unknown, at: string | undefined): Turn | 'malformed' {
    const parsed = prompt.safeParse(data).data;
    if (parsed === undefined) return 'malformed';
    this.#error = undefined;
    const ignored: string[] = [];
    const parts = partsOf(parsed.input, ignored);
    const key = wordsOf(parts);
    this.#prompted.set(key, (this.#prompted.get(key) ?? 0) + 1);
    return this.#user(parts, parsed.promptId, parsed.origin?.kind, at, ignored);
  }

  /** What the context receives: a prompt again, or what the program puts in. */
  #appended(data: unknown, at: string | undefined): Step | 'malformed' {
    const parsed = appended.safeParse(data).data;
    if (parsed === undefined) return 'malformed';
    const { role, origin: from, id, content: given } = parsed.message;
    const kind = from?.kind;
    if (kind === 'injection' || kind === 'hook_result') return { kind: 'ignored', type: kind };
    const ignored: string[] = [];
    const parts = partsOf(given, ignored);
    const key = wordsOf(parts);
    if (kind === 'compaction_summary') {
      if (this.#summary !== '' && key.includes(this.#summary)) return { kind: 'ignored', type: kind };
      return { kind: 'summary', text: key };
    }
    const prompted = this.#prompted.get(key) ?? 0;
    if (prompted > 0) {
      this.#prompted.set(key, prompted - 1);
      return { kind: 'ignored', type: 'prompt in the context' };
    }
    if (role !== 'user') return { kind: 'ignored', type: `${role} message in the context` };
    return this.#user(parts, id, kind, at, ignored);
  }

  #user(
    parts: Part[],
    id: string | undefined,
    kind: string | undefined,
    at: string | undefined,
    ignored: string[],
  ) {
    const words = this.#ofAgent ? parts.map(withoutGit) : parts;
    const spoken = this.#ofAgent || kind === undefined || kind === 'user';
    const turn: Turn = {
      kind: 'turn',
      role: 'user',
      parts: words,
      id: id ?? idOf(at, wordsOf(parts)),
      at,
      spoken,
      synthetic: !spoken,
      ignored,
    };
    return turn;
  }

  #event(data: unknown, at: string | undefined): Step | 'malformed' {
    const event = loop.safeParse(data).data?.event;
    if (event === undefined) return 'malformed';
    const ignored: string[] = [];
    const turn = (role: Turn['role'], id: string | undefined, parts: Part[]): Turn => ({
      kind: 'turn',
      role,
      parts,
      id,
      at,
      spoken: false,
      ignored,
    });
    if (event.type === 'content.part') {
      const parsed = said.safeParse(event).data;
      if (parsed === undefined) return 'malformed';
      return turn('assistant', parsed.uuid, partsOf([parsed.part], ignored));
    }
    if (event.type === 'tool.call') {
      const parsed = call.safeParse(event).data;
      if (parsed === undefined) return 'malformed';
      const { uuid, stepUuid, toolCallId: id, name, args: input } = parsed;
      this.#calls.set(uuid, stepUuid);
      return turn('assistant', `${stepUuid}/${uuid}`, [{ kind: 'call', id, name, input }]);
    }
    if (event.type === 'tool.result') {
      const parsed = result.safeParse(event).data;
      if (parsed === undefined) return 'malformed';
      const { parentUuid, toolCallId: id } = parsed;
      const text = wordsOf(partsOf(parsed.result.output, ignored));
      const own = `${this.#calls.get(parentUuid) ?? at}/${parentUuid}/result`;
      this.#calls.delete(parentUuid);
      return turn('user', own, [{ kind: 'result', id, text, error: parsed.result.isError === true }]);
    }
    return { kind: 'ignored', type: event.type };
  }

  /** The failed request is named at the end of the step, and again at the end of the turn. */
  #failure(data: unknown, at: string | undefined): Turn | undefined {
    const { message, reason, error } = failure.safeParse(data).data ?? {};
    const text = error?.message ?? (reason === 'error' || reason === 'failed' ? message : undefined);
    if (text === undefined || text === '' || text === this.#error) return undefined;
    this.#error = text;
    const parts: Part[] = [{ kind: 'text', text: `[error] ${text}` }];
    return {
      kind: 'turn',
      role: 'assistant',
      parts,
      id: idOf(at, text),
      at,
      spoken: false,
      synthetic: true,
      ignored: [],
    };
  }
}

/** The program puts the state of the repository before the task of an agent. */
const GIT = /^\s*<git-context\b[^>]*?(?:\/>|>[\s\S]*?<\/git-context>)\s*/;

function withoutGit(part: Part): Part {
  return part.kind === 'text' ? { ...part, text: part.text.replace(GIT, '') } : part;
}

/** For records without an id: the moment and the words. */
function idOf(at: string | undefined, text: string): string | undefined {
  return at === undefined ? undefined : `${at}/${sha256(text).slice(0, 16)}`;
}

function wordsOf(parts: readonly Part[]): string {
  return parts.map((part) => (part.kind === 'text' ? part.text : '')).join('\n');
}

function partsOf(given: z.infer<typeof content>, ignored: string[]): Part[] {
  if (typeof given === 'string') return [{ kind: 'text', text: given }];
  const parts: Part[] = [];
  for (const each of given) {
    const { type } = each;
    const text = textOf(each.text);
    const think = textOf(each.think);
    if (type === 'text' && text !== undefined) parts.push({ kind: 'text', text });
    else if (type === 'think' && think !== undefined)
      parts.push({ kind: 'text', text: `[reasoning] ${think}` });
    else if (/^(?:image|audio|video)_url$/.test(type))
      parts.push({ kind: 'text', text: `[${type.replace('_url', '')}]` });
    else ignored.push(`${type} part`);
  }
  return parts;
}
