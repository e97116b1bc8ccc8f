import { dirname, join } from 'node:path';
import * as field from '../../../../core/fields.js';
import { sha256 } from '../../../../core/hash.js';
import { type Part, textPart } from '../../../../core/parts.js';
import { filesBelow } from '../../files-below.js';
import type { ConversationFiles, FileHead, Harness, Identity } from '../../harness.js';
import { readHead } from '../../head.js';
import { homeOf } from '../../homes.js';
import { jsonRecords, readRecords } from '../../records.js';
import { type Entry, type Turn, titled, turn, wordsOf } from '../../turns.js';
import { type Form, isCompletedItem, outputOf, readEvent } from './events.js';
import { readItem } from './items.js';
import { Outputs } from './outputs.js';
import { summaryOf } from './words.js';

/**
 * The records of a Codex rollout (`~/.codex/sessions/**`): `{timestamp, type, payload}`. Response items are the
 * conversation. Events repeat them for the terminal; they are read if a rollout contains no items, and for outputs of
 * commands that no result contains.
 */
function recordOf(json: unknown) {
  const [type, payload] = [field.text(json, 'type'), field.object(json, 'payload')];
  if (type === undefined || payload === undefined || !TYPES.has(type)) return undefined;
  return { type, payload, at: field.text(json, 'timestamp') };
}

const TYPES = new Set(['session_meta', 'response_item', 'event_msg', 'turn_context', 'compacted']);

/** A pause longer than this ends the beginning that was copied from another rollout. */
const COPYING_MS = 1000;

export const codex: Harness = {
  name: 'codex',
  label: 'Codex',
  version: 3,
  places: (env) => {
    const home = homeOf(env, 'CODEX_HOME', '.codex');
    return [join(home, 'sessions'), join(home, 'archived_sessions')];
  },
  patterns: ['**/*.jsonl', '**/*.jsonl.zst'],
  recognises: ({ records }) => records.some((json) => recordOf(json) !== undefined),
  identify: (head) => [identityOf(head)],
  async *read(conversation) {
    const rollout = new Rollout(await formOf(conversation));
    yield* readRecords(conversation, (json) => rollout.entries(json));
    yield* rollout.rest();
  },
  filesOfSession: originals,
};

/** What a rollout says of itself; undefined for every other record. */
function metaOf(json: unknown) {
  const { type, payload, at } = recordOf(json) ?? {};
  const id = type === 'session_meta' ? field.name(payload, 'id') : undefined;
  if (id === undefined) return undefined;
  const spawnedBy = field.name(payload, 'source', 'subagent', 'thread_spawn', 'parent_thread_id');
  const parent = field.name(payload, 'parent_thread_id') ?? spawnedBy;
  const copied = [field.name(payload, 'forked_from_id'), field.name(payload, 'history_base', 'thread_id')];
  return {
    ...{ id, at },
    cwd: field.name(payload, 'cwd'),
    /** The session that a sub-agent works for. */
    session: field.name(payload, 'session_id'),
    /** The thread that started this one; undefined unless it is a sub-agent's. */
    parent: parent === id ? undefined : parent,
    copied: [...new Set(copied)].filter((each) => each !== undefined),
    agentPath: field.name(payload, 'agent_path'),
    branch: field.name(payload, 'git', 'branch'),
  };
}
type Meta = NonNullable<ReturnType<typeof metaOf>>;

function headMeta({ records }: FileHead): Meta | undefined {
  return records.flatMap((json) => metaOf(json) ?? [])[0];
}

/** The first `session_meta` record identifies a rollout; a second one belongs to the rollout it was copied from. */
function identityOf(head: FileHead): Identity {
  const found = headMeta(head);
  if (found === undefined) return { sessionId: undefined };
  const { id, at: begun, cwd, session, parent, copied } = found;
  const common = { cwd, begun, copiedFrom: copied.length === 0 ? undefined : copied };
  if (parent === undefined) return { sessionId: id, ...common };
  const sessionId = session !== undefined && session !== id ? session : parent;
  return { sessionId, agentId: id, formerKey: `codex:${id}`, ...common };
}

/** Those in which the session began or went on, and those that it or its parent was copied from: they must be filed first. */
async function originals(path: string): Promise<string[]> {
  const found = headMeta(await readHead(path));
  if (found === undefined) return [];
  const ids = [found.id, ...(found.parent === undefined ? [] : [found.parent]), ...found.copied];
  const safe = [...new Set(ids)].filter((id) => /^[\w-]+$/.test(id));
  if (safe.length === 0) return [];
  // `sessions/2026/11/22/rollout-….jsonl`; archived ones are in one folder.
  const folder = dirname(path);
  const above = /[/\\]\d{4}[/\\]\d{2}[/\\]\d{2}$/.test(folder) ? join(folder, '..', '..', '..') : folder;
  const files = await filesBelow(
    above,
    safe.flatMap((id) => [`**/*-${id}.jsonl`, `**/*-${id}.jsonl.zst`]),
  );
  return files.filter((file) => file !== path);
}

/** Reads a rollout up to the first record that determines its form. */
async function formOf(conversation: ConversationFiles): Promise<Form> {
  let form: Form = 'events';
  for await (const line of jsonRecords(conversation)) {
    const data = recordOf('kind' in line ? undefined : line.json);
    if (data?.type === 'response_item') {
      const read = readItem(data.payload, undefined, new Outputs());
      if (read !== undefined && read.parts.length > 0) return 'items';
    } else if (data?.type === 'event_msg' && isCompletedItem(data.payload)) form = 'completed';
  }
  return form;
}

class Rollout {
  readonly #outputs = new Outputs();
  #own: Meta | undefined;
  /** The thread that the beginning of this one was copied from. */
  #origin: string | undefined;
  /** Id of the current turn; copies keep it. */
  #turn: string | undefined;
  #lastAt = 0;
  #at: string | undefined;
  /** The last message of the assistant, delayed because it may be a compaction's summary. */
  #delayed: Turn | undefined;
  /** Occurrences of a message in its turn. */
  readonly #times = new Map<string, number>();

  constructor(private readonly form: Form) {}

  /** Undefined if it is not a record of Codex. */
  entries(json: unknown): Iterable<Entry> | undefined {
    const data = recordOf(json);
    return data && this.#entries(data, json);
  }

  *#entries(
    { type, payload, at }: NonNullable<ReturnType<typeof recordOf>>,
    json: unknown,
  ): Generator<Entry> {
    this.#passTime(at);
    if (type === 'session_meta') yield* this.#readMeta(json);
    if (type === 'turn_context' || payload.type === 'task_started') yield* this.#enterTurn(payload);
    if (type === 'compacted') yield* this.#compaction(payload);
    else if (type === 'response_item') yield* this.#item(payload, at);
    else if (type === 'event_msg') yield* this.#event(payload, at);
  }

  *rest(): Generator<Entry> {
    yield* this.#release();
    const parts = this.#outputs.unreported();
    if (parts.length > 0) yield this.#placed(turn('user', parts), { at: this.#at });
  }

  *#release(): Generator<Entry> {
    if (this.#delayed !== undefined) yield this.#delayed;
    this.#delayed = undefined;
  }

  *#readMeta(json: unknown): Generator<Entry> {
    const found = metaOf(json);
    if (found === undefined) return;
    if (this.#own !== undefined && found.id !== this.#own.id) {
      this.#origin = found.id;
      return;
    }
    this.#own ??= found;
    if (found.branch !== undefined) yield { kind: 'fact', branch: found.branch };
  }

  *#enterTurn({ turn_id: turn }: field.Fields): Generator<Entry> {
    const next = field.name(turn) ?? this.#turn;
    if (next === this.#turn) return;
    yield* this.rest();
    this.#turn = next;
  }

  /** Copied records were written at once, so a record after a pause is the rollout's own. */
  #passTime(timestamp: string | undefined): void {
    const at = Date.parse(timestamp ?? '');
    if (Number.isNaN(at)) return;
    if (this.#lastAt > 0 && at - this.#lastAt > COPYING_MS) this.#origin = undefined;
    this.#lastAt = at;
    this.#at = timestamp;
  }

  *#item(payload: field.Fields, at: string | undefined): Generator<Entry> {
    if (this.form !== 'items') return;
    const read = readItem(payload, this.#own?.agentPath, this.#outputs);
    if (read === undefined) return;
    yield* this.#release();
    this.#outputs.addResults(read.parts);
    const turnId = field.name(payload, 'internal_chat_message_metadata_passthrough', 'turn_id');
    const own = this.#placed(read, { id: field.name(payload, 'id'), at }, turnId);
    // A copy of the message has no events, but the same key.
    const placed = { ...own, parts: this.#outputs.whole(own.parts) };
    if (read.role === 'assistant' && payload.type === 'message') this.#delayed = placed;
    else yield placed;
  }

  *#event(payload: field.Fields, at: string | undefined): Generator<Entry> {
    if (payload.type === 'thread_name_updated') yield* titled(field.name(payload.thread_name));
    if (this.form !== 'items') {
      const read = readEvent(payload, this.form);
      if (read !== undefined) yield this.#placed(read, { at });
      return;
    }
    const output = outputOf(payload);
    if (output !== undefined) this.#outputs.add(output);
  }

  #placed(read: Turn, place: Pick<Turn, 'id' | 'at'>, turnId?: string): Turn {
    return { ...read, ...place, copyKey: this.#copyKey(read.role, read.parts, turnId) };
  }

  /** The same in the original and each copy: made from the turn's id, the words, and the number of earlier repetitions. */
  #copyKey(role: string, parts: readonly Part[], turnId?: string): Turn['copyKey'] {
    const scope = turnId ?? this.#turn ?? this.#origin ?? this.#own?.id;
    if (scope === undefined || parts.length === 0) return undefined;
    // Failures of commands are known from events, which are not copied.
    const words = parts.map((part) => (part.kind === 'result' ? { ...part, error: false } : part));
    const key = sha256(JSON.stringify([scope, role, words])).slice(0, 24);
    const times = (this.#times.get(key) ?? 0) + 1;
    this.#times.set(key, times);
    return { key: `${key}-${times}`, weak: false };
  }

  /** Leaves out the message in which the model wrote the summary. */
  *#compaction(payload: field.Fields): Generator<Entry> {
    const message = field.name(payload.message);
    const words = wordsOf(this.#delayed?.parts ?? []);
    const isSummary = words.trim() !== '' && message?.trimEnd().endsWith(words.trim()) === true;
    if (isSummary) this.#delayed = undefined;
    else yield* this.#release();
    const text = isSummary ? words : summaryOf(message ?? '');
    if (text.trim() !== '')
      yield { kind: 'summary', text, copyKey: this.#copyKey('summary', [textPart(text)]), compaction: {} };
  }
}
