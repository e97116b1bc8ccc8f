import { basename, dirname, join } from 'node:path';
import * as field from '../../../core/fields.js';
import { sha256 } from '../../../core/hash.js';
import { parseJson } from '../../../core/json.js';
import { contentAt, contentParts, type Part, textPart } from '../../../core/parts.js';
import type { FileHead, Harness, Identity } from '../harness.js';
import { homeOf } from '../homes.js';
import { complete, readRecords, required, sideJson, sideText } from '../records.js';
import { type Step, withRewinds } from '../rewinds.js';
import { isoOf, titled, turn, wordsOf } from '../turns.js';

/**
 * Sessions of Kimi Code (`~/.kimi-code/sessions/<folder>/<session id>/agents/<agent>/wire.jsonl`), not Kimi CLI. The log
 * contains everything twice: prompts and steps are read, `agent.message.appended` is not.
 */
const OWN = /^(?:turn|context|runtime|profile|permission|llm|usage|config|tools|agent|token_counting)\.\w/;

/** When the log was begun, by its header; undefined for every other record. */
function begunIn(json: unknown): number | undefined {
  const isHeader =
    field.text(json, 'type') === 'metadata' && field.text(json, 'protocol_version') !== undefined;
  return isHeader ? field.number(json, 'created_at') : undefined;
}

export const kimiCode: Harness = {
  name: 'kimi-code',
  label: 'Kimi Code',
  patterns: ['**/*.jsonl'],
  places: (env) => [join(homeOf(env, 'KIMI_CODE_HOME', '.kimi-code'), 'sessions')],
  recognises: ({ records }) =>
    records.some(
      (json) =>
        (field.number(json, 'time') !== undefined && OWN.test(field.text(json, 'type') ?? '')) ||
        begunIn(json) !== undefined,
    ),
  identify: (head) => [identityOf(head)],
  idsAreUnique: true,
  async *read(conversation) {
    const { agentId } = conversation.identity;
    if (agentId === undefined) yield* titled(field.name(stateOf(conversation.files[0].path), 'title'));
    yield* withRewinds(() => {
      const log = new Log(agentId !== undefined);
      return readRecords(conversation, (json, line) => {
        const type = field.text(json, 'type');
        return type === undefined
          ? undefined
          : complete(type, line, () => log.steps(type, field.object(json) ?? {}));
      });
    });
  },
};

function identityOf({ path, records }: FileHead): Identity {
  const begun = records.map(begunIn).find((each) => each !== undefined);
  const agents = dirname(dirname(path));
  if (basename(agents) !== 'agents') return { sessionId: undefined, begun: isoOf(begun) };
  const home = dirname(agents);
  const agent = basename(dirname(path));
  const state = stateOf(path);
  const sessionId = field.name(state, 'id') ?? basename(home);
  const original = field.name(state, 'forkedFrom');
  const created = field.number(state, 'createdAt') ?? field.text(state, 'createdAt');
  return {
    sessionId,
    agentId: agent === 'main' ? undefined : agent,
    cwd: field.name(state, 'cwd') ?? workFolder(dirname(dirname(dirname(home))), sessionId),
    // The log of a fork contains the beginning of its original.
    begun: isoOf(original === undefined ? (begun ?? created) : (created ?? begun)),
    copiedFrom: original === undefined ? undefined : [original],
  };
}

function stateOf(path: string): unknown {
  return sideJson(join(dirname(dirname(dirname(path))), 'state.json'));
}

/** From the last complete line for this session. */
function workFolder(home: string, sessionId: string): string | undefined {
  const lines = (sideText(join(home, 'session_index.jsonl')) ?? '').split('\n').reverse();
  const found = lines
    .filter((line) => line.includes(sessionId))
    .map(parseJson)
    .find((json) => field.text(json, 'sessionId') === sessionId && field.name(json, 'workDir') !== undefined);
  return field.name(found, 'workDir');
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

  steps(type: string, data: field.Fields): Step[] {
    const at = isoOf(field.number(data, 'time'));
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
        const exchanges = field.number(data, 'count') ?? field.number(data, 'turns') ?? 1;
        return repeatsUndo ? [] : [{ kind: 'rewind', exchanges, at }];
      }
      default:
        return [];
    }
  }

  #compaction(data: field.Fields): Step[] {
    const text = field.text(data, 'summary') ?? '';
    const [tokensBefore, tokensAfter] = [
      field.number(data, 'tokensBefore'),
      field.number(data, 'tokensAfter'),
    ];
    this.#summary = text;
    return text === '' ? [] : [{ kind: 'summary', text, compaction: { tokensBefore, tokensAfter } }];
  }

  #prompt(data: field.Fields, at: string | undefined): Step[] {
    const parts = contentParts(required(contentAt(data, 'input')));
    this.#error = undefined;
    const key = wordsOf(parts);
    this.#prompted.set(key, (this.#prompted.get(key) ?? 0) + 1);
    return this.#user(parts, field.text(data, 'promptId'), field.text(data, 'origin', 'kind'), at);
  }

  /** The context received a prompt (a repetition) or text of the program. */
  #appended({ message }: field.Fields, at: string | undefined): Step[] {
    const role = required(field.text(message, 'role'));
    const content = required(contentAt(message, 'content'));
    const kind = field.text(message, 'origin', 'kind');
    if (kind === 'injection' || kind === 'hook_result') return [];
    const parts = contentParts(content);
    const text = wordsOf(parts);
    if (kind === 'compaction_summary')
      return this.#summary !== '' && text.includes(this.#summary) ? [] : [{ kind: 'summary', text }];
    const prompted = this.#prompted.get(text) ?? 0;
    if (prompted > 0) this.#prompted.set(text, prompted - 1);
    return prompted > 0 || role !== 'user' ? [] : this.#user(parts, field.text(message, 'id'), kind, at);
  }

  #user(parts: Part[], id: string | undefined, kind: string | undefined, at: string | undefined): Step[] {
    const words = this.ofAgent ? parts.map(withoutGit) : parts;
    const spoken = this.ofAgent || kind === undefined || kind === 'user';
    return [turn('user', words, { id: id ?? idOf(at, wordsOf(parts)), at, spoken, synthetic: !spoken })];
  }

  #event({ event }: field.Fields, at: string | undefined): Step[] {
    const type = required(field.text(event, 'type'));
    const [own, call] = [field.text(event, 'uuid'), field.text(event, 'toolCallId')];
    if (type === 'content.part') {
      const parts = contentParts([required(field.object(event, 'part'))]);
      return [turn('assistant', parts, { id: own, at })];
    }
    if (type === 'tool.call') {
      const step = field.text(event, 'stepUuid') ?? '';
      this.#calls.set(own ?? '', step);
      const name = field.text(event, 'name') ?? 'unknown';
      const part: Part = { kind: 'call', id: call, name, input: field.value(event, 'args') };
      return [turn('assistant', [part], { id: `${step}/${own ?? ''}`, at })];
    }
    if (type === 'tool.result') {
      const parent = field.text(event, 'parentUuid') ?? '';
      const result = required(field.object(event, 'result'));
      const id = `${this.#calls.get(parent) ?? at}/${parent}/result`;
      this.#calls.delete(parent);
      const text = wordsOf(contentParts(contentAt(result, 'output') ?? ''));
      const error = result.isError === true;
      return [turn('user', [{ kind: 'result', id: call, text, error }], { id, at })];
    }
    return [];
  }

  /** A failed request is recorded at the end of the step, and again at the end of the turn. */
  #failure(data: field.Fields, at: string | undefined): Step[] {
    const { reason } = data;
    const isFailed = reason === 'error' || reason === 'failed';
    const text = field.text(data, 'error', 'message') ?? (isFailed ? field.text(data, 'message') : undefined);
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
