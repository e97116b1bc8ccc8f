import { sha256 } from '../../core/hash.js';
import { withWholeOutputs } from './cut-outputs.js';
import { fileId, type StagedBefore } from './fingerprint.js';
import type { ConversationFiles, Harness } from './harness.js';
import type { Conversation, ConversationFile } from './options.js';
import { inBelievedTime, latestTime } from './times.js';
import type { Entry } from './turns.js';

/**
 * A session can be in several files: a program whose file was moved continues in a new one. Files that others contain are
 * copies; the others are read as one, in the order of their times, with each message once.
 */

/** The entries of a conversation, whatever the number of its files. */
export function readConversation(
  conversation: ConversationFiles & { harness: Harness },
): AsyncIterable<Entry> {
  const { harness, files } = conversation;
  const isOne = files.length < 2 || harness.joinsFiles === true;
  return withWholeOutputs(isOne ? harness.read(conversation) : joined(conversation), conversation);
}

function joined(conversation: ConversationFiles & { harness: Harness }): AsyncIterable<Entry> {
  const { harness, files, identity } = conversation;
  return merged(
    files.map((file) => {
      const entries = harness.read({ ...conversation, files: [file] });
      return inBelievedTime(entries, latestTime([file]), identity.begun);
    }),
  );
}

/** The files of a conversation, oldest first, without the `copies` that others contain. */
type Parts = Pick<Conversation, 'files' | 'copies'>;

/**
 * Finds out which of a session's files others contain. Reads them, unless an earlier run did and they are unchanged.
 *
 * @param conversation with all files, oldest first
 * @throws the file system's error
 */
export async function partsOf(conversation: Conversation, before: StagedBefore | undefined): Promise<Parts> {
  const { harness, files } = conversation;
  const copies = new Set<ConversationFile>();
  // A newer export of a service replaces an older one.
  if (harness.places === undefined) return without(files, new Set(files.slice(0, -1)));
  const known = knownCopies(files, before);
  if (known !== undefined) return without(files, known);
  const read = await Promise.all(
    files.toReversed().map(async (file) => {
      const names = await countsOf(harness.read({ ...conversation, files: [file] }));
      return { file, names };
    }),
  );
  const all = new Map<string, number>();
  for (const { file, names } of read.sort((one, other) => other.names.size - one.names.size)) {
    if ([...names].every(([name, times]) => times <= (all.get(name) ?? 0))) copies.add(file);
    for (const [name, times] of names) all.set(name, Math.max(times, all.get(name) ?? 0));
  }
  return without(files, copies);
}

function without(files: Conversation['files'], copies: ReadonlySet<ConversationFile>): Parts {
  // Of files that say nothing, the newest is the session.
  const [first = files.at(-1) ?? files[0], ...others] = files.filter((file) => !copies.has(file));
  return { files: [first, ...others], copies: files.filter((file) => copies.has(file) && file !== first) };
}

/** The copies that an earlier run found; undefined if a file is new or has changed since, or one is missing. */
function knownCopies(
  files: Conversation['files'],
  before: StagedBefore | undefined,
): Set<ConversationFile> | undefined {
  const { files: parts = [], copies = [] } = before?.made ?? {};
  const isIn = (all: readonly { id: string; mtimeMs: number; size: number }[]) => (file: ConversationFile) =>
    all.some(
      ({ id, mtimeMs, size }) => id === fileId(file.path) && mtimeMs === file.mtimeMs && size === file.size,
    );
  const copied = files.filter((file) => !isIn(parts)(file));
  if (!copied.every(isIn(copies)) || files.length - copied.length !== parts.length) return undefined;
  return new Set(copied);
}

async function countsOf(entries: AsyncIterable<Entry>): Promise<Map<string, number>> {
  const counts = new Map<string, number>();
  for await (const entry of entries) {
    const name = nameOf(entry);
    if (name !== undefined) counts.set(name, (counts.get(name) ?? 0) + 1);
  }
  return counts;
}

/** The same for a copy of the message in another file of the session. */
function nameOf(entry: Entry): string | undefined {
  if (entry.kind === 'summary') return sha256(entry.text).slice(0, 24);
  if (entry.kind !== 'turn') return undefined;
  const { id, role, at, parts } = entry;
  return sha256(JSON.stringify([id, role, at, parts])).slice(0, 24);
}

interface Stream {
  entries: AsyncIterator<Entry>;
  next: Entry | undefined;
  /** Time of the last turn, epoch milliseconds. */
  ms: number;
  counts: Map<string, number>;
}

/** The entries of several streams in the order of their times, without the messages that another stream gave. */
async function* merged(all: readonly AsyncIterable<Entry>[]): AsyncGenerator<Entry> {
  const streams: Stream[] = all.map((entries) => ({
    entries: entries[Symbol.asyncIterator](),
    next: undefined,
    ms: Number.NEGATIVE_INFINITY,
    counts: new Map(),
  }));
  const advance = async (stream: Stream): Promise<void> => {
    const { done, value } = await stream.entries.next();
    stream.next = done === true ? undefined : value;
    const at = stream.next?.kind === 'turn' ? Date.parse(stream.next.at ?? '') : Number.NaN;
    if (!Number.isNaN(at)) stream.ms = at;
  };
  for (const stream of streams) await advance(stream);
  const given = new Map<string, number>();
  for (;;) {
    const [stream] = streams.filter(({ next }) => next !== undefined).sort((one, other) => one.ms - other.ms);
    if (stream?.next === undefined) return;
    const name = nameOf(stream.next);
    const times = name === undefined ? 0 : (stream.counts.get(name) ?? 0) + 1;
    if (name !== undefined) stream.counts.set(name, times);
    if (name === undefined || times > (given.get(name) ?? 0)) {
      if (name !== undefined) given.set(name, times);
      yield stream.next;
    }
    await advance(stream);
  }
}
