import { dirname, join } from 'node:path';
import { z } from 'zod';
import { sha256 } from '../../../core/hash.js';
import type { Entry, Part, Turn } from '../entry.js';
import type { ConversationFiles, FileHead, Harness, Identity } from '../harness.js';
import { readHead } from '../head.js';
import { homeOf } from '../homes.js';
import { jsonRecords, otherRecord } from '../records.js';
import { type Form, isCompletedItem, outputOf, readEvent } from './codex/events.js';
import { Failures, type Payload, payloadSchema, readItem, type Said, said, textOf } from './codex/items.js';
import { UnreportedOutputs } from './codex/outputs.js';
import { summaryOf } from './codex/words.js';

/**
 * The records of a Codex rollout (`~/.codex/sessions/**`): `{timestamp, type, payload}`. What was said and done are
 * the response items; events say the same again for the terminal, and are read where a rollout has nothing else. Outputs of
 * commands that no result contains come from events, too.
 */
const record = z.object({
  type: z.enum(['session_meta', 'response_item', 'event_msg', 'turn_context', 'compacted']),
  timestamp: z.string().optional(),
  payload: payloadSchema,
});

const name = z.string().min(1).optional().catch(undefined);
const meta = z.object({
  id: z.string().min(1),
  cwd: name,
  /** Of the session that a sub-agent works for. */
  session_id: name,
  parent_thread_id: name,
  agent_path: name,
  forked_from_id: name,
  history_base: z.object({ thread_id: name }).optional().catch(undefined),
  source: z
    .object({ subagent: z.object({ thread_spawn: z.object({ parent_thread_id: name }) }) })
    .optional()
    .catch(undefined),
});
type Meta = z.infer<typeof meta>;

/** Between what was copied when a rollout was begun and what was said after: longer than copying takes a record. */
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
  recognises: ({ records }) => records.some((json) => record.safeParse(json).success),
  identify: (head) => [identityOf(head)],
  // Servers other than OpenAI's number their messages.
  idsAreUnique: false,
  sameSession: 'newest',
  async *read(conversation) {
    const rollout = new Rollout(await formOf(conversation));
    for await (const line of jsonRecords(conversation)) {
      if ('kind' in line) yield line;
      else yield* rollout.entries(line.json, line.line);
    }
    yield* rollout.rest();
  },
  filesOfSession: originals,
};

function metaOf(json: unknown): { meta: Meta; at: string | undefined } | undefined {
  const parsed = record.safeParse(json);
  if (!parsed.success || parsed.data.type !== 'session_meta') return undefined;
  const session = meta.safeParse(parsed.data.payload);
  return session.success ? { meta: session.data, at: parsed.data.timestamp } : undefined;
}

function headMeta({ records }: FileHead): ReturnType<typeof metaOf> {
  for (const json of records) {
    const found = metaOf(json);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** The thread that started this one; undefined unless it is a sub-agent's. */
function parentOf({ id, parent_thread_id, source }: Meta): string | undefined {
  const parent = parent_thread_id ?? source?.subagent.thread_spawn.parent_thread_id;
  return parent === id ? undefined : parent;
}

/** The record that begins a rollout says whose it is; a second one is the copied beginning of another. */
function identityOf(head: FileHead): Identity {
  const found = headMeta(head);
  if (found === undefined) return { sessionId: undefined };
  const { id, cwd, session_id: session, forked_from_id: forked, history_base: base } = found.meta;
  const parent = parentOf(found.meta);
  const copied = new Set([forked, base?.thread_id].filter((each) => each !== undefined));
  const copiedFrom = copied.size === 0 ? undefined : [...copied];
  const common = { cwd, begun: found.at, copiedFrom };
  if (parent === undefined) return { sessionId: id, ...common };
  const sessionId = session !== undefined && session !== id ? session : parent;
  return { sessionId, agentId: id, formerKey: `codex:${id}`, ...common };
}

/** The rollouts that one names as its own beginning, or as that of its parent: they are to be filed before it. */
async function originals(path: string): Promise<string[]> {
  const found = headMeta(await readHead({ path, mtimeMs: 0, size: 0 }));
  if (found === undefined) return [];
  const { forked_from_id: forked, history_base: base } = found.meta;
  const ids = [parentOf(found.meta), forked, base?.thread_id].filter((id) => id !== undefined);
  const safe = [...new Set(ids)].filter((id) => /^[\w-]+$/.test(id));
  if (safe.length === 0) return [];
  // `sessions/2026/11/22/rollout-….jsonl`; archived ones are in one folder.
  const folder = dirname(path);
  const above = /[/\\]\d{4}[/\\]\d{2}[/\\]\d{2}$/.test(folder) ? join(folder, '..', '..', '..') : folder;
  const { default: glob } = await import('fast-glob');
  return glob(
    safe.flatMap((id) => [`**/*-${id}.jsonl`, `**/*-${id}.jsonl.zst`]),
    { cwd: above, absolute: true, followSymbolicLinks: false, suppressErrors: true },
  );
}

/** In which form a rollout says what was said; looks no further than the first record that settles it. */
async function formOf(conversation: ConversationFiles): Promise<Form> {
  let form: Form = 'events';
  for await (const line of jsonRecords(conversation)) {
    if ('kind' in line) continue;
    const parsed = record.safeParse(line.json);
    if (!parsed.success) continue;
    const { type, payload } = parsed.data;
    if (type === 'response_item') {
      const read = readItem(payload, undefined, new Failures());
      if (typeof read !== 'string' && read.parts.length > 0) return 'items';
    } else if (type === 'event_msg' && isCompletedItem(payload)) form = 'completed';
  }
  return form;
}

/** Reads one rollout, record by record. */
class Rollout {
  readonly #form: Form;
  readonly #failures = new Failures();
  readonly #outputs = new UnreportedOutputs();
  #own: Meta | undefined;
  /** The thread of which the beginning of this one is a copy. */
  #origin: string | undefined;
  /** The turn that the records belong to, a name that copies keep. */
  #turn: string | undefined;
  #lastAt = 0;
  #at: string | undefined;
  /** The last message of the assistant, until it is known not to be a compaction's summary. */
  #held: Turn | undefined;
  /** How often the same was said in the same turn. */
  readonly #times = new Map<string, number>();

  constructor(form: Form) {
    this.#form = form;
  }

  *entries(json: unknown, line: number): Generator<Entry> {
    const parsed = record.safeParse(json);
    if (!parsed.success) {
      yield otherRecord(json, line);
      return;
    }
    const { type, payload, timestamp } = parsed.data;
    this.#passTime(timestamp);
    if (type === 'session_meta') this.#meetMeta(json);
    if (type === 'turn_context' || payload.type === 'task_started') yield* this.#enterTurn(payload);
    if (type === 'compacted') yield* this.#compaction(payload);
    else if (type === 'response_item') yield* this.#item(payload, timestamp);
    else if (type === 'event_msg') yield* this.#event(payload, timestamp);
    else yield { kind: 'ignored', type };
  }

  *rest(): Generator<Entry> {
    yield* this.#release();
    yield* this.#unreported();
  }

  *#release(): Generator<Entry> {
    if (this.#held !== undefined) yield this.#held;
    this.#held = undefined;
  }

  *#unreported(): Generator<Entry> {
    const parts = this.#outputs.take();
    if (parts.length > 0) yield this.#turnOf(said('user', parts), undefined, this.#at, undefined);
  }

  #meetMeta(json: unknown): void {
    const found = metaOf(json);
    if (found === undefined) return;
    if (this.#own === undefined) this.#own = found.meta;
    else if (found.meta.id !== this.#own.id) this.#origin = found.meta.id;
  }

  *#enterTurn({ turn_id: turn }: Payload): Generator<Entry> {
    const next = textOf(turn) ?? this.#turn;
    if (next === this.#turn) return;
    yield* this.rest();
    this.#turn = next;
    this.#failures.clear();
  }

  /** What was copied was written at once: whatever comes after a pause is the rollout's own. */
  #passTime(timestamp: string | undefined): void {
    const at = Date.parse(timestamp ?? '');
    if (Number.isNaN(at)) return;
    if (this.#lastAt > 0 && at - this.#lastAt > COPYING_MS) this.#origin = undefined;
    this.#lastAt = at;
    this.#at = timestamp;
  }

  *#item(payload: Payload, at: string | undefined): Generator<Entry> {
    const read = this.#form === 'items' ? readItem(payload, this.#own?.agent_path, this.#failures) : 'item';
    if (typeof read === 'string') {
      yield { kind: 'ignored', type: read };
      return;
    }
    yield* this.#release();
    this.#outputs.report(read.parts);
    const passed = payload.internal_chat_message_metadata_passthrough;
    const turn = this.#turnOf(read, textOf(payload.id), at, turnIdIn(passed));
    if (read.role === 'assistant' && payload.type === 'message') this.#held = turn;
    else yield turn;
  }

  *#event(payload: Payload, at: string | undefined): Generator<Entry> {
    const output = this.#form === 'items' ? outputOf(payload) : undefined;
    if (output !== undefined) {
      this.#outputs.meet(output);
      if (output.error) this.#failures.meet(output.text);
    }
    const title = payload.type === 'thread_name_updated' ? textOf(payload.thread_name) : undefined;
    if (title !== undefined) yield { kind: 'fact', title: { text: title, rank: 1 } };
    const read = this.#form === 'items' ? 'event_msg' : readEvent(payload, this.#form);
    if (typeof read === 'string') yield { kind: 'ignored', type: read };
    else yield this.#turnOf(read, undefined, at, undefined);
  }

  #turnOf(read: Said, id: string | undefined, at: string | undefined, turnId: string | undefined): Turn {
    return { kind: 'turn', ...read, id, at, copyKey: this.#copyKey(read.role, read.parts, turnId) };
  }

  /** The same in the original and in each copy: the turn, what was said in it, and how often before. */
  #copyKey(role: string, parts: readonly Part[], turnId?: string): Turn['copyKey'] {
    const scope = turnId ?? this.#turn ?? this.#origin ?? this.#own?.id;
    if (scope === undefined || parts.length === 0) return undefined;
    // Whether a command failed is told by events, which are not copied.
    const words = parts.map((part) => (part.kind === 'result' ? { ...part, error: false } : part));
    const key = sha256(JSON.stringify([scope, role, words])).slice(0, 24);
    const times = (this.#times.get(key) ?? 0) + 1;
    this.#times.set(key, times);
    return { key: `${key}-${times}`, weak: false };
  }

  /** The message in which the model wrote the summary is left out. */
  *#compaction(payload: Payload): Generator<Entry> {
    const message = textOf(payload.message);
    const held = this.#held;
    const words = held?.parts.map((part) => (part.kind === 'text' ? part.text : '')).join('\n') ?? '';
    const isSummary = words.trim() !== '' && message?.trimEnd().endsWith(words.trim()) === true;
    if (isSummary) this.#held = undefined;
    else yield* this.#release();
    const text = isSummary ? words : summaryOf(message ?? '');
    if (text.trim() === '') yield { kind: 'ignored', type: 'compacted' };
    else yield { kind: 'summary', text, copyKey: this.#copyKey('summary', [{ kind: 'text', text }]) };
  }
}

function turnIdIn(metadata: unknown): string | undefined {
  const parsed = z.object({ turn_id: z.string().min(1) }).safeParse(metadata);
  return parsed.success ? parsed.data.turn_id : undefined;
}
