import { readFile } from 'node:fs/promises';
import { z } from 'zod';
import type { Entry } from '../../entry.js';
import type { ConversationFiles, OriginFile } from '../../harness.js';
import { jsonRecords, oneLineOf, otherRecord, type RecordLine } from '../../records.js';
import type { Step } from '../../rewinds.js';
import { type Message, merged, messageOf } from './message.js';
import { Unsaid } from './unsaid.js';
import { WorkFolder } from './work-folder.js';

/** A session that is one JSON value is parsed as a whole. */
const MOST_BYTES = 256 * 1024 * 1024;

const whole = z.looseObject({
  sessionId: z.string(),
  projectHash: z.string().optional().catch(undefined),
  messages: z.array(z.unknown()),
});
const update = z.object({
  $set: z.looseObject({
    summary: z.string().optional().catch(undefined),
    messages: z.array(z.unknown()).optional(),
  }),
});
const rewind = z.object({ $rewindTo: z.string() });
const described = z.looseObject({
  sessionId: z.string(),
  projectHash: z.string(),
  summary: z.string().optional(),
});

/** The session log, replayed: every message once, whatever replaced, dropped or repeated it. */
export async function* steps(conversation: ConversationFiles): AsyncGenerator<Step> {
  const replay = new Replay(conversation);
  for (const file of conversation.files)
    for await (const line of recordsOf(file)) {
      if ('kind' in line) yield line;
      else yield* replay.record(line.json, line.line);
    }
  yield* replay.flush();
}

/** A log has a record per line; before there were logs, the file was one value. */
async function* recordsOf(file: OriginFile): AsyncGenerator<RecordLine> {
  let first = true;
  for await (const line of jsonRecords({ files: [file] })) {
    if (first && 'kind' in line && !file.path.endsWith('.jsonl')) {
      yield { line: 0, json: await parsedFile(file) };
      return;
    }
    first = false;
    yield line;
  }
}

/** @throws Error with the reason when the file is no JSON, or too large to be parsed */
async function parsedFile({ path, size }: OriginFile): Promise<unknown> {
  if (size > MOST_BYTES) throw new Error('a session in one JSON value of more than 256 MB');
  try {
    return JSON.parse(await readFile(path, 'utf8'));
  } catch (error) {
    if (error instanceof SyntaxError) throw new Error('not JSON (a file that was cut off?)');
    throw error;
  }
}

class Replay {
  readonly #conversation: ConversationFiles;
  readonly #unsaid = new Unsaid();
  readonly #folder = new WorkFolder();
  /** The last message, which the next record may replace. */
  #pending: Message | undefined;

  constructor(conversation: ConversationFiles) {
    this.#conversation = conversation;
  }

  *record(json: unknown, line: number): Generator<Step> {
    const value = whole.safeParse(json).data;
    if (value !== undefined) {
      this.#folder.hash ??= value.projectHash;
      yield* this.#title(value.summary);
      for (const each of value.messages) yield* this.record(each, line);
      return;
    }
    const set = update.safeParse(json).data?.$set;
    if (set !== undefined) {
      yield* this.#title(set.summary);
      if (set.messages === undefined) return;
      yield* this.flush();
      yield* this.#snapshot(set.messages);
      return;
    }
    const target = rewind.safeParse(json).data?.$rewindTo;
    if (target !== undefined) {
      yield* this.flush();
      yield { kind: 'rewind', from: target, at: undefined };
      return;
    }
    const message = messageOf(json, this.#conversation.agents);
    if (message !== undefined) {
      const { id } = message;
      if (id !== undefined && this.#pending?.id === id) {
        this.#pending = merged(this.#pending, message);
        return;
      }
      yield* this.flush();
      this.#pending = message;
      return;
    }
    const head = described.safeParse(json).data;
    if (head !== undefined) {
      this.#folder.hash ??= head.projectHash;
      yield* this.#title(head.summary);
    } else yield otherRecord(json, line);
  }

  *flush(): Generator<Step> {
    const message = this.#pending;
    this.#pending = undefined;
    if (message === undefined) return;
    if (this.#conversation.identity.cwd === undefined) yield* this.#folder.entries(message);
    yield* this.#unsaid.entries(message);
  }

  /** A list that replaces all messages. What only it has was said in a file that is gone, or is a summary. */
  *#snapshot(messages: readonly unknown[]): Generator<Step> {
    const list = this.#unsaid.list();
    for (const json of messages) {
      const message = messageOf(json, this.#conversation.agents);
      if (message !== undefined) yield* list(message);
    }
  }

  /** A sub-agent's summary is its result. */
  *#title(text: unknown): Generator<Entry> {
    const title = typeof text === 'string' ? oneLineOf(text) : undefined;
    if (title === undefined || this.#conversation.identity.agentId !== undefined) return;
    yield { kind: 'fact', title: { text: title, rank: 1 } };
  }
}
