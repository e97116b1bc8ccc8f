import { dirname, isAbsolute } from 'node:path';
import * as field from '../../../../core/fields.js';
import { sha256 } from '../../../../core/hash.js';
import { parseJson } from '../../../../core/json.js';
import { listItems } from '../../../../platform/json-list.js';
import { readLines } from '../../../../platform/jsonl.js';
import { readPiece } from '../../exported.js';
import type { ConversationFiles, OriginFile } from '../../harness.js';
import { jsonRecords, type RecordLine, unknownRecord } from '../../records.js';
import type { Step } from '../../rewinds.js';
import { type Entry, malformed, titled } from '../../turns.js';
import { type Message, merged, messageOf } from './message.js';
import { Unsaid } from './unsaid.js';

/** Limit for a session that is one JSON value, which is parsed as a whole. */
const MOST_BYTES = 256 * 1024 * 1024;
/** Limit for the number of paths whose hashes are compared with the folder's. */
const MOST_PATHS = 200;

/** The first line of a log, or a whole session. */
function isSession(json: unknown): boolean {
  const session = field.object(json) ?? {};
  return 'sessionId' in session && ('projectHash' in session || 'messages' in session);
}

/** Replays the session log: yields every message once, also replaced, removed or repeated ones. */
export async function* steps(
  conversation: ConversationFiles,
  files: readonly OriginFile[],
): AsyncGenerator<Step> {
  const replay = new Replay(conversation);
  for (const file of files)
    for await (const line of recordsOf(file)) {
      if ('kind' in line) yield line;
      else yield* replay.record(line.json, line.line);
    }
  yield* replay.flush();
}

/** The lines of a log; an older file is one JSON value. Of a damaged value, the messages that are whole. */
async function* recordsOf(file: OriginFile): AsyncGenerator<RecordLine> {
  if (await isLog(file)) {
    yield* jsonRecords({ files: [file] });
    return;
  }
  const json = await readPiece(file.path, { start: 0, end: file.size }, MOST_BYTES).catch(asError);
  if (!(json instanceof Error)) {
    yield { line: 0, json };
    return;
  }
  let isEmpty = true;
  for await (const range of listItems(file.path, 'messages')) {
    const message = await readPiece(file.path, range, MOST_BYTES).catch(asError);
    if (message instanceof Error) continue;
    isEmpty = false;
    yield { line: 0, json: message };
  }
  if (isEmpty) throw json;
  yield malformed(json.message);
}

const asError = (error: unknown): Error => (error instanceof Error ? error : new Error(String(error)));

async function isLog({ path }: OriginFile): Promise<boolean> {
  if (path.endsWith('.jsonl')) return true;
  for await (const { text = '' } of readLines(path)) return parseJson(text) !== undefined;
  return true;
}

class Replay {
  readonly #unsaid = new Unsaid();
  /** SHA-256 of the session folder's path; undefined once the folder is known. */
  #hash: string | undefined;
  /** Paths with another hash. */
  readonly #tried = new Set<string>();
  /** The last message, which the next record may replace. */
  #pending: Message | undefined;

  constructor(private readonly conversation: ConversationFiles) {}

  *record(json: unknown, line: number): Generator<Step> {
    const message = messageOf(json, this.conversation.agents);
    if (message !== undefined) {
      if (message.id !== undefined && this.#pending?.id === message.id) {
        this.#pending = merged(this.#pending, message);
        return;
      }
      yield* this.flush();
      this.#pending = message;
      return;
    }
    const set = field.object(json, '$set');
    if (set !== undefined) {
      yield* this.#facts(set);
      if (!Array.isArray(set.messages)) return;
      yield* this.flush();
      yield* this.#snapshot(set.messages);
      return;
    }
    const target = field.text(json, '$rewindTo');
    if (target !== undefined) {
      yield* this.flush();
      yield { kind: 'rewind', from: target };
      return;
    }
    if (!isSession(json)) {
      yield* unknownRecord(json, line);
      return;
    }
    yield* this.#facts(json);
    for (const each of field.list(json, 'messages')) yield* this.record(each, line);
  }

  *flush(): Generator<Step> {
    const message = this.#pending;
    this.#pending = undefined;
    if (message === undefined) return;
    const cwd = this.#folderOf(message);
    if (cwd !== undefined) yield { kind: 'fact', cwd };
    yield* this.#unsaid.entries(message);
  }

  /** A list that replaces all messages. Its new messages are from a deleted file, or are a summary. */
  *#snapshot(messages: readonly unknown[]): Generator<Step> {
    const list = this.#unsaid.list();
    for (const json of messages) {
      const message = messageOf(json, this.conversation.agents);
      if (message !== undefined) yield* list(message);
    }
  }

  /** A sub-agent's summary is its result. */
  #facts(json: unknown): Entry[] {
    const { agentId, cwd } = this.conversation.identity;
    if (cwd === undefined) this.#hash ??= field.text(json, 'projectHash');
    return titled(agentId === undefined ? field.text(json, 'summary') : undefined);
  }

  /** Finds the folder, of which only the hash is stored, among the parents of the paths in tool calls. */
  #folderOf({ said }: Message): string | undefined {
    const inputs = said.flatMap((part) => (part.kind === 'call' ? Object.values(part.input ?? {}) : []));
    for (const path of inputs.filter((value) => typeof value === 'string' && isAbsolute(value))) {
      for (let folder = path; ; folder = dirname(folder)) {
        if (this.#hash === undefined || this.#tried.has(folder) || this.#tried.size >= MOST_PATHS) break;
        this.#tried.add(folder);
        if (sha256(folder) !== this.#hash) continue;
        this.#hash = undefined;
        return folder;
      }
    }
    return undefined;
  }
}
