import { basename, dirname, join } from 'node:path';
import { z } from 'zod';
import { sha256 } from '../../../core/hash.js';
import { parseJson } from '../../../core/json.js';
import { contentParts, type Part, textPart } from '../../../core/parts.js';
import type { FileHead, Harness, Identity } from '../harness.js';
import { homeOf } from '../homes.js';
import { readRecords, sideJson, sideText } from '../records.js';
import { type Step, withRewinds } from '../rewinds.js';
import { complete, contentSchema, maybe, optionalName, optionalText } from '../schemas.js';
import { isoOf, titled, turn, wordsOf } from '../turns.js';

/**
 * Sessions of Kimi Code (`~/.kimi-code/sessions/<folder>/<session id>/agents/<agent>/wire.jsonl`), not Kimi CLI. The log
 * contains everything twice: prompts and steps are read, `agent.message.appended` is not.
 */
const origin = maybe(z.looseObject({ kind: z.string() }));
const record = z.looseObject({ type: z.string(), time: maybe(z.number()) });
type LogRecord = z.infer<typeof record>;
const header = z.object({
  type: z.literal('metadata'),
  protocol_version: z.string(),
  created_at: z.number(),
});
const OWN = /^(?:turn|context|runtime|profile|permission|llm|usage|config|tools|agent|token_counting)\.\w/;

const prompt = z.object({ input: contentSchema, origin, promptId: optionalText });
const appended = z.object({
  message: z.looseObject({ role: z.string(), content: contentSchema, origin, id: optionalText }),
});
const loop = z.object({ event: z.looseObject({ type: z.string() }) });
const said = z.object({ uuid: optionalText, part: z.unknown() });
const call = z.object({
  uuid: z.string().catch(''),
  stepUuid: z.string().catch(''),
  toolCallId: optionalText,
  name: z.string().catch('unknown'),
  args: z.unknown().optional(),
});
const result = z.object({
  parentUuid: z.string().catch(''),
  toolCallId: optionalText,
  result: z.looseObject({
    output: contentSchema.catch(''),
    isError: maybe(z.boolean()),
  }),
});
const failure = z.object({
  message: optionalText,
  reason: optionalText,
  error: maybe(z.looseObject({ message: z.string() })),
});
const compaction = z.object({
  summary: z.string().min(1),
  tokensBefore: maybe(z.number()),
  tokensAfter: maybe(z.number()),
});
const undo = z.object({ count: maybe(z.number()), turns: maybe(z.number()) });

const state = z.looseObject({
  id: optionalName,
  cwd: optionalName,
  title: optionalName,
  forkedFrom: optionalName,
  createdAt: maybe(z.union([z.number(), z.string()])),
});
const indexed = z.object({ sessionId: z.string(), workDir: z.string().min(1) });

export const kimiCode: Harness = {
  name: 'kimi-code',
  label: 'Kimi Code',
  patterns: ['**/*.jsonl'],
  places: (env) => [join(homeOf(env, 'KIMI_CODE_HOME', '.kimi-code'), 'sessions')],
  recognises: ({ records }) =>
    records.some((json) => {
      const { data } = record.safeParse(json);
      return (data?.time !== undefined && OWN.test(data.type)) || header.safeParse(json).success;
    }),
  identify: (head) => [identityOf(head)],
  idsAreUnique: true,
  async *read(conversation) {
    const { agentId } = conversation.identity;
    if (agentId === undefined) yield* titled(stateOf(conversation.files[0].path).title);
    yield* withRewinds(() => {
      const log = new Log(agentId !== undefined);
      return readRecords(conversation, (json, line) => {
        const { data } = record.safeParse(json);
        return data && complete(data.type, line, () => log.steps(data));
      });
    });
  },
};

function identityOf({ path, records }: FileHead): Identity {
  const begun = records.flatMap((json) => header.safeParse(json).data?.created_at ?? [])[0];
  const agents = dirname(dirname(path));
  if (basename(agents) !== 'agents') return { sessionId: undefined, begun: isoOf(begun) };
  const home = dirname(agents);
  const agent = basename(dirname(path));
  const { id: sessionId = basename(home), cwd, forkedFrom, createdAt } = stateOf(path);
  return {
    sessionId,
    agentId: agent === 'main' ? undefined : agent,
    cwd: cwd ?? workFolder(dirname(dirname(dirname(home))), sessionId),
    // The log of a fork contains the beginning of its original.
    begun: isoOf(forkedFrom === undefined ? (begun ?? createdAt) : (createdAt ?? begun)),
    copiedFrom: forkedFrom === undefined ? undefined : [forkedFrom],
  };
}

function stateOf(path: string): Partial<z.infer<typeof state>> {
  return state.safeParse(sideJson(join(dirname(dirname(dirname(path))), 'state.json'))).data ?? {};
}

/** From the last complete line for this session. */
function workFolder(home: string, sessionId: string): string | undefined {
  const lines = (sideText(join(home, 'session_index.jsonl')) ?? '').split('\n').reverse();
  return lines
    .filter((line) => line.includes(sessionId))
    .map((line) => indexed.safeParse(parseJson(line)).data)
    .find((data) => data?.sessionId === sessionId)?.workDir;
}

class Log {
  /** Counts prompts, by text, that the context has not received so far. */
  readonly #prompted = new Map<string, number>();
  /** Step of each call without a result: the provider's call ids are not unique. */
  readonly #calls = new Map<string, string>();
  #summary = '';
  #error: string | undefined;
  /** The last record was `context.undo`, which `context.undone` repeats. */
  #undone = false;

  constructor(private readonly ofAgent: boolean) {}

  /** @throws ZodError for a record of a known type without its fields */
  steps(data: LogRecord): Step[] {
    const { type } = data;
    const at = isoOf(data.time);
    const repeatsUndo = this.#undone && type === 'context.undone';
    this.#undone = type === 'context.undo';
    switch (type) {
      case 'turn.prompt':
      case 'turn.steer':
        return this.#prompt(data, at);
      case 'context.append_message':
        return this.#appended(data, at);
      case 'context.append_loop_event':
        return this.#event(data, at);
      case 'context.apply_compaction':
        return this.#compaction(data);
      case 'turn.step.interrupted':
      case 'turn.ended':
        return this.#failure(data, at);
      case 'context.undo':
      case 'context.undone': {
        const { count, turns } = undo.safeParse(data).data ?? {};
        return repeatsUndo ? [] : [{ kind: 'rewind', exchanges: count ?? turns ?? 1, at }];
      }
      default:
        return [];
    }
  }

  #compaction(record: LogRecord): Step[] {
    const { summary: text = '', ...tokens } = compaction.safeParse(record).data ?? {};
    this.#summary = text;
    return text === '' ? [] : [{ kind: 'summary', text, compaction: tokens }];
  }

  #prompt(record: LogRecord, at: string | undefined): Step[] {
    const { input, promptId, origin: from } = prompt.parse(record);
    this.#error = undefined;
    const parts = contentParts(input);
    const key = wordsOf(parts);
    this.#prompted.set(key, (this.#prompted.get(key) ?? 0) + 1);
    return this.#user(parts, promptId, from?.kind, at);
  }

  /** The context received a prompt (a repetition) or text of the program. */
  #appended(record: LogRecord, at: string | undefined): Step[] {
    const { role, origin: from, id, content } = appended.parse(record).message;
    const kind = from?.kind;
    if (kind === 'injection' || kind === 'hook_result') return [];
    const parts = contentParts(content);
    const text = wordsOf(parts);
    if (kind === 'compaction_summary')
      return this.#summary !== '' && text.includes(this.#summary) ? [] : [{ kind: 'summary', text }];
    const prompted = this.#prompted.get(text) ?? 0;
    if (prompted > 0) this.#prompted.set(text, prompted - 1);
    return prompted > 0 || role !== 'user' ? [] : this.#user(parts, id, kind, at);
  }

  #user(parts: Part[], id: string | undefined, kind: string | undefined, at: string | undefined): Step[] {
    const words = this.ofAgent ? parts.map(withoutGit) : parts;
    const spoken = this.ofAgent || kind === undefined || kind === 'user';
    return [turn('user', words, { id: id ?? idOf(at, wordsOf(parts)), at, spoken, synthetic: !spoken })];
  }

  #event(record: LogRecord, at: string | undefined): Step[] {
    const { event } = loop.parse(record);
    if (event.type === 'content.part') {
      const { uuid: id, part } = said.parse(event);
      return [turn('assistant', contentParts([part]), { id, at })];
    }
    if (event.type === 'tool.call') {
      const { uuid, stepUuid, toolCallId: id, name, args: input } = call.parse(event);
      this.#calls.set(uuid, stepUuid);
      return [turn('assistant', [{ kind: 'call', id, name, input }], { id: `${stepUuid}/${uuid}`, at })];
    }
    if (event.type === 'tool.result') {
      const { parentUuid, toolCallId: id, result: given } = result.parse(event);
      const own = `${this.#calls.get(parentUuid) ?? at}/${parentUuid}/result`;
      this.#calls.delete(parentUuid);
      const text = wordsOf(contentParts(given.output));
      return [turn('user', [{ kind: 'result', id, text, error: given.isError === true }], { id: own, at })];
    }
    return [];
  }

  /** A failed request is recorded at the end of the step, and again at the end of the turn. */
  #failure(record: LogRecord, at: string | undefined): Step[] {
    const { message, reason, error } = failure.safeParse(record).data ?? {};
    const text = error?.message ?? (reason === 'error' || reason === 'failed' ? message : undefined);
    if (!text || text === this.#error) return [];
    this.#error = text;
    return [turn('assistant', `[error] ${text}`, { id: idOf(at, text), at, synthetic: true })];
  }
}

/** The program inserts the state of the repository before an agent's task. */
const GIT = /^\s*<git-context\b[^>]*?(?:\/>|>[\s\S]*?<\/git-context>)\s*/;

function withoutGit(part: Part): Part {
  return part.kind === 'text' ? textPart(part.text.replace(GIT, '')) : part;
}

/** For records without an id: time and words. */
function idOf(at: string | undefined, text: string): string | undefined {
  return at === undefined ? undefined : `${at}/${sha256(text).slice(0, 16)}`;
}
