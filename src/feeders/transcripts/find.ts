import { statSync } from 'node:fs';
import type { Skipped } from '../../core/contract.js';
import { messageOf } from '../../core/errors.js';
import { groupBy } from '../../core/group-by.js';
import { sha256 } from '../../core/hash.js';
import { buildSourceKey } from '../../core/source-key.js';
import { NotRegularFile } from '../../platform/regular-file.js';
import { realPath } from './files-below.js';
import { fileId, type StagedBefore } from './fingerprint.js';
import type { Harness, Identity, OriginFile } from './harness.js';
import { HARNESSES } from './harnesses/index.js';
import { readHead } from './head.js';
import { partsOf } from './joined.js';
import { type Conversation, type ConversationFile, changedOf, type TranscriptOptions } from './options.js';
import { readersOf, transcriptsIn } from './present.js';
import { believed, latestTime } from './times.js';

export const NO_TRANSCRIPT = 'not a transcript';
const NOT_CHANGED = 'not changed since';
export const OLDER_COPY = 'older copy of a session';

interface Identified {
  file: OriginFile;
  harness: Harness;
  identities: Identity[];
}

/**
 * Finds the conversations in the given places. Reads only the beginning of new and changed files. `candidates` is the
 * number of files whose name a transcript can have.
 */
export async function findConversations(
  options: TranscriptOptions,
  staged: ReadonlyMap<string, StagedBefore[]>,
): Promise<{ conversations: Conversation[]; skipped: Skipped[]; candidates: number }> {
  const skipped: Skipped[] = [];
  const known = knownFiles(staged);
  const files = await filesOf(options, skipped);
  const isNew = ({ mtimeMs }: OriginFile) => options.since === undefined || mtimeMs >= options.since;
  const sessions = new Set(
    files.filter(({ file }) => isNew(file)).flatMap(({ file }) => known.sessionOf(file.path) ?? []),
  );
  const all: Identified[] = [];
  const read = new Set<string>();
  const identify = async ({ file, harness }: FoundFile): Promise<void> => {
    options.signal?.throwIfAborted();
    try {
      const one = known.get(file, harness) ?? (await identified(file, harness));
      const reason = file.size === 0 ? 'empty file' : NO_TRANSCRIPT;
      if (one === undefined) skipped.push({ origin: file.path, reason });
      else all.push(one);
      for (const { sessionId = '' } of one?.identities ?? [])
        for (const id of idsIn(sessionId)) read.add(id).add(shortId(id));
    } catch (error) {
      const detail = messageOf(error);
      skipped.push({ origin: file.path, reason: 'unreadable', detail, problem: true });
    }
  };
  // If one transcript of a session is new, the others are read too: they may contain a secret that it reveals.
  const isRead = ({ file }: FoundFile) => isNew(file) || sessions.has(known.sessionOf(file.path) ?? '');
  for (const each of files) if (isRead(each)) await identify(each);
  for (const each of files.filter((one) => !isRead(one))) {
    // An older part of a session that goes on in another file.
    if (idsInName(each.file.path).some((id) => read.has(id))) await identify(each);
    else skipped.push({ origin: each.file.path, reason: NOT_CHANGED });
  }
  for (const each of partsElsewhere(all, staged)) await identify(each);
  all.sort((one, other) => (one.file.path < other.file.path ? -1 : 1));
  const conversations: Conversation[] = [];
  for (const parts of grouped(all)) {
    options.signal?.throwIfAborted();
    conversations.push(...(await whole(parts, staged, skipped)));
  }
  return { conversations, skipped, candidates: files.length };
}

const ID = /[\da-f]{8}-(?:[\da-f]{4}-){3}[\da-f]{12}/gi;

function idsIn(text: string): string[] {
  return text.match(ID) ?? [];
}

const shortId = (id: string) => id.slice(0, 8);
/** Gemini CLI names its files after the beginning of the id. */
const SHORT_ID = /-([\da-f]{8})\.jsonl?$/;

function idsInName(path: string): string[] {
  return [...idsIn(path), ...(SHORT_ID.exec(path)?.slice(1) ?? [])];
}

async function identified(file: OriginFile, wanted: Harness | undefined): Promise<Identified | undefined> {
  const head = await readHead(file.path);
  const harness = HARNESSES.find((each) => each.recognises(head));
  if (harness === undefined || (wanted !== undefined && harness !== wanted)) return undefined;
  const latestMs = latestTime([file]);
  const identities = (await harness.identify(head)).map((each) => believed(shortened(each), latestMs));
  return { file, harness, identities };
}

/** Longer values are dropped, because they would become part of every drawer's key and room. */
const ID_CHARS = 255;
const PATH_CHARS = 4_096;

function shortened(identity: Identity): Identity {
  const short = { ...identity };
  for (const key of ['harness', 'sessionId', 'agentId', 'begun', 'cwd'] as const)
    if ((short[key]?.length ?? 0) > (key === 'cwd' ? PATH_CHARS : ID_CHARS)) short[key] = undefined;
  return short;
}

interface FoundFile {
  file: OriginFile;
  /** The only program that can have written it. */
  harness: Harness | undefined;
}

async function filesOf({ files, places }: TranscriptOptions, skipped: Skipped[]): Promise<FoundFile[]> {
  const found = new Map<string, Harness | undefined>();
  // A folder may be a link to another one in the list.
  const reached = new Set<string | undefined>();
  for (const place of files === undefined ? places : [{ folder: '' }]) {
    for (const path of await transcriptsIn(place, files)) {
      const real = realPath(path);
      if (real === undefined || !reached.has(real)) found.set(path, place.harness);
      reached.add(real);
    }
  }
  return [...found]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .flatMap(([path, harness]) => {
      try {
        const stat = statSync(path);
        // To open a named pipe would wait for its writer.
        if (!stat.isFile()) throw new NotRegularFile(path);
        const { mtimeMs, size } = stat;
        return { file: { path, mtimeMs, size }, harness };
      } catch (error) {
        skipped.push({ origin: path, reason: 'unreadable', detail: messageOf(error), problem: true });
        return [];
      }
    });
}

function knownFiles(staged: ReadonlyMap<string, StagedBefore[]>) {
  const all = [...staged.values()].flatMap(([first]) =>
    (first?.made.files ?? []).flatMap((file) => (first === undefined ? [] : { ...first.made, ...file })),
  );
  const byId = groupBy(all, ({ id }) => id);
  return {
    /** The session that a file belonged to when it was staged. */
    sessionOf(path: string): string | undefined {
      const [made] = byId.get(fileId(path)) ?? [];
      return made && `${made.keyHarness ?? made.harness}:${made.sessionId ?? ''}`;
    },
    /** Undefined when the file has changed, or when not everything in it was staged. */
    get(file: OriginFile, wanted: Harness | undefined): Identified | undefined {
      const parts = byId.get(fileId(file.path)) ?? [];
      const harness = readersOf(wanted).find(({ name }) => name === parts[0]?.harness);
      const isSame = parts.every(
        ({ mtimeMs, size, holds }) =>
          mtimeMs === file.mtimeMs && size === file.size && holds === parts.length,
      );
      if (harness === undefined || !isSame) return undefined;
      const identities = parts.map(
        ({ keyHarness, sessionId, agentId, begun, range, copiedFrom, changedMs }): Identity => {
          return { harness: keyHarness, sessionId, agentId, begun, range, copiedFrom, changedMs };
        },
      );
      return { file, harness, identities };
    },
  };
}

/** Files that an earlier run read as parts of these sessions, and that this run does not name: a session stays whole. */
function partsElsewhere(
  all: readonly Identified[],
  staged: ReadonlyMap<string, StagedBefore[]>,
): FoundFile[] {
  const named = new Set(all.map(({ file }) => file.path));
  const missing = new Map<string, FoundFile>();
  for (const { file, harness, identities } of all) {
    // A newer export of a service replaces an older one.
    if (harness.places === undefined) continue;
    for (const identity of identities) {
      const [before] = staged.get(keysOf(file, harness, identity).sourceKey) ?? [];
      for (const { path, id } of before?.made.files ?? []) {
        const stat =
          named.has(path) || fileId(path) !== id ? undefined : statSync(path, { throwIfNoEntry: false });
        if (stat?.isFile() !== true) continue;
        missing.set(path, { file: { path, mtimeMs: stat.mtimeMs, size: stat.size }, harness });
      }
    }
  }
  const reached = new Set(missing.size === 0 ? [] : [...named].map(realPath));
  return [...missing.values()].filter(({ file }) => !reached.has(realPath(file.path)));
}

interface Grouped extends Omit<Conversation, 'files' | 'copies' | 'identity'> {
  parts: [Part, ...Part[]];
}

interface Part {
  file: ConversationFile;
  identity: Identity;
}

function grouped(all: readonly Identified[]): Grouped[] {
  const byKey = new Map<string, Grouped>();
  const agentsOf = new Map<string, Set<string>>();
  for (const { file, harness, identities } of all) {
    for (const identity of identities) {
      const { sourceKey, sessionKey } = keysOf(file, harness, identity);
      const { range, changedMs, agentId } = identity;
      const part = { file: { ...file, range, changedMs, holds: identities.length }, identity };
      const agents = agentsOf.get(sessionKey) ?? new Set();
      agentsOf.set(sessionKey, agentId === undefined ? agents : agents.add(agentId));
      const twin = byKey.get(sourceKey);
      if (twin === undefined) byKey.set(sourceKey, { sourceKey, sessionKey, harness, agents, parts: [part] });
      else twin.parts.push(part);
    }
  }
  return [...byKey.values()];
}

/** The conversation of its parts, without those that others contain; nothing if one is unreadable. */
async function whole(
  { parts, ...found }: Grouped,
  staged: ReadonlyMap<string, StagedBefore[]>,
  skipped: Skipped[],
): Promise<Conversation[]> {
  const [first, ...others] = [...parts].sort((one, other) => changedOf(one.file) - changedOf(other.file));
  if (first === undefined) return [];
  const { identity } = parts[0];
  const conversation: Conversation = {
    ...found,
    identity,
    files: [first.file, ...others.map(({ file }) => file)],
    copies: [],
  };
  if (others.length === 0 || found.harness.joinsFiles === true) return [conversation];
  try {
    const { files, copies } = await partsOf(conversation, staged.get(found.sourceKey)?.[0]);
    const [last] = files.toReversed();
    for (const { path } of copies) skipped.push({ origin: path, reason: OLDER_COPY, detail: last?.path });
    const kept = parts.filter(({ file }) => files.includes(file)).map((part) => part.identity);
    const begun = kept.flatMap((each) => each.begun ?? []).sort()[0];
    const chosen = kept.find((each) => each.begun === begun) ?? identity;
    return [{ ...conversation, identity: chosen, files, copies }];
  } catch (error) {
    skipped.push({ origin: first.file.path, reason: 'unreadable', detail: messageOf(error), problem: true });
    return [];
  }
}

function keysOf(
  { path }: OriginFile,
  harness: Harness,
  { harness: kind = harness.name, sessionId, agentId, range }: Identity,
): { sourceKey: string; sessionKey: string } {
  // A transcript without a session id is identified by the hash of its path.
  const place = range === undefined ? path : `${path}#${range.start}`;
  const sessionKey = buildSourceKey({ kind, owner: sessionId ?? sha256(place).slice(0, 24) });
  if (sessionId === undefined || agentId === undefined) return { sourceKey: sessionKey, sessionKey };
  return { sourceKey: buildSourceKey({ kind, owner: sessionId, name: agentId }), sessionKey };
}
