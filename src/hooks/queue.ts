import { renameSync, rmSync, statSync, utimesSync } from 'node:fs';
import { basename, join } from 'node:path';
import { messageOf } from '../core/errors.js';
import { fnv1a } from '../core/hash.js';
import { parseJson } from '../core/json.js';
import { boolean, literal, maybe, number, object, orElse, shaped, string } from '../core/shape.js';
import { replaceFile } from '../platform/atomic-write.js';
import { filesIn } from '../platform/files-in.js';
import { makeFolder } from '../platform/make-folder.js';
import { regularText } from '../platform/regular-file.js';
import { HARNESSES, type Harness, idTrouble, pathTrouble } from './protocol.js';

/** A session with new messages, to be filed by the background run. */
export interface Entry {
  harness: Harness;
  sessionId: string;
  /** Absolute; undefined for sessions in a database. */
  transcript: string | undefined;
  /** Bytes of the transcript when the hook ran. */
  offset: number | undefined;
  /** The session ended, or broke off: its last checkpoint is made. */
  ended: boolean;
  /** The agent has stopped, in a program that may not report the end: each stop may be the last. */
  rests: boolean;
  /** Runs that did not file it, with those that were killed. */
  tries: number;
}

/** An entry that a run has taken, and its file, which exists until the session is filed. */
export interface Taken extends Entry {
  file: string;
}

/** A session that no run tries again by itself. */
export interface SetAside {
  /** Null where the entry itself cannot be read. */
  harness: Harness | null;
  sessionId: string | null;
  reason: string;
}

/** After this many runs that did not file it, a session is set aside. */
export const MOST_TRIES = 3;
/** After this time what was set aside is forgotten, milliseconds: the session's program has removed it, too. */
const ASIDE_MS = 30 * 24 * 3_600_000;

export const hooksFolder = (palace: string): string => join(palace, 'hooks');
/** The log of hooks and of their runs, where no other is named: nobody sees their stderr. */
export const hooksLog = (palace: string): string => join(hooksFolder(palace), 'hooks.log');
/** Exists while a background run starts or works. */
export const runTicket = (palace: string): string => join(hooksFolder(palace), 'runner');
const waitingFolder = (palace: string): string => join(hooksFolder(palace), 'queue');
const takenFolder = (palace: string): string => join(hooksFolder(palace), 'taken');
const asideFolder = (palace: string): string => join(hooksFolder(palace), 'aside');

/**
 * Queues a session durably; false when the same entry is already queued. There is one file per session: a session queued
 * twice before a run begins is filed once.
 *
 * @throws the file system's error
 */
export function enqueue(palace: string, entry: Omit<Entry, 'tries'>): boolean {
  const name = `${fnv1a(JSON.stringify([entry.harness, entry.sessionId, entry.transcript ?? null]))}.json`;
  const file = join(waitingFolder(palace), name);
  const noted = read(file).entry;
  const isKnown = noted !== undefined && entry.offset !== undefined && noted.offset === entry.offset;
  if (isKnown && (noted.ended || !entry.ended) && (noted.rests || !entry.rests)) return false;
  const ended = entry.ended || noted?.ended === true;
  write(file, { ...entry, ended, rests: entry.rests || noted?.rests === true, tries: 0 });
  rmSync(join(asideFolder(palace), name), { force: true });
  return true;
}

function write(file: string, { sessionId, transcript, ...entry }: Entry, reason?: string): void {
  const { harness, offset, ended, rests, tries } = entry;
  const place = { session_id: sessionId, path: transcript ?? null, offset };
  replaceFile(file, `${JSON.stringify({ harness, ...place, ended, rests, tries, reason })}\n`);
}

/** Keeps its place in the order. */
function rewrite(taken: Taken): void {
  const { mtime } = statSync(taken.file);
  write(taken.file, taken);
  utimesSync(taken.file, mtime, mtime);
}

/** Number of queued sessions that no run has taken. */
export function noted(palace: string): number {
  return names(waitingFolder(palace)).length;
}

/** Number of queued sessions that are not filed. */
export function waiting(palace: string): number {
  return noted(palace) + names(takenFolder(palace)).length;
}

/**
 * Takes all queued entries, including those that a killed run had taken: those that failed least often first, of these the
 * oldest. Entries that cannot be filed are set aside. A hook that runs meanwhile adds a new entry for this run or the next.
 * Only one run at a time may call this.
 *
 * @throws the file system's error
 */
export function take(palace: string): { taken: Taken[]; aside: SetAside[] } {
  const [from, to] = [waitingFolder(palace), takenFolder(palace)];
  move(from, to);
  const taken: Taken[] = [];
  const aside: SetAside[] = [];
  for (const file of oldestFirst(to)) {
    const { entry, trouble } = read(file);
    const reason = trouble ?? ((entry?.tries ?? 0) < MOST_TRIES ? undefined : ENDED);
    if (entry === undefined) aside.push(moveAside(palace, basename(file), reason));
    else if (reason === undefined) taken.push({ ...entry, file });
    else aside.push(setAside(palace, { ...entry, file }, reason));
  }
  return { taken: taken.sort((one, other) => one.tries - other.tries), aside };
}

function move(from: string, to: string): number {
  const found = names(from);
  if (found.length > 0) makeFolder(to);
  for (const name of found) {
    // A folder with this name would stay.
    rmSync(join(to, name), { recursive: true, force: true });
    renameSync(join(from, name), join(to, name));
  }
  return found.length;
}

/** Removes an entry whose session is filed or cannot be filed. */
export function settle(taken: Taken): void {
  rmSync(taken.file, { force: true });
}

/** Counts a try before it begins: a run that is killed, or that waits for ever, counts too. */
export function beginTry(taken: Taken): void {
  rewrite({ ...taken, tries: taken.tries + 1 });
}

/** Leaves a session for the next run, as if this one had not tried it. */
export function putBack(taken: Taken): void {
  rewrite(taken);
}

/** Takes a session out of the queue until it is retried, or a hook names it again. */
export function setAside(palace: string, taken: Taken, reason: string): SetAside {
  write(taken.file, taken, reason);
  return moveAside(palace, basename(taken.file), reason);
}

function moveAside(palace: string, name: string, reason: string | undefined): SetAside {
  const file = join(asideFolder(palace), name);
  makeFolder(asideFolder(palace));
  renameSync(join(takenFolder(palace), name), file);
  return asideIn(file, reason);
}

export function aside(palace: string): SetAside[] {
  return names(asideFolder(palace)).map((name) => asideIn(join(asideFolder(palace), name)));
}

function asideIn(file: string, reason?: string): SetAside {
  const { entry, trouble, said } = read(file);
  const name = { harness: entry?.harness ?? null, sessionId: entry?.sessionId ?? null };
  return { ...name, reason: reason ?? said ?? trouble ?? 'unknown' };
}

/** Puts all that is set aside into the queue again. @returns how many @throws the file system's error */
export function retryAside(palace: string): number {
  for (const name of names(asideFolder(palace))) {
    const file = join(asideFolder(palace), name);
    const { entry } = read(file);
    if (entry !== undefined) write(file, { ...entry, tries: 0 });
  }
  return move(asideFolder(palace), waitingFolder(palace));
}

/** Removes what is set aside. @param before epoch milliseconds; only what was set aside earlier @returns how many */
export const dropAside = (palace: string, before = Number.POSITIVE_INFINITY): number =>
  removeOlder(asideFolder(palace), before);

/** Removes what was set aside long ago. */
export const dropOldAside = (palace: string, nowMs: number): number => dropAside(palace, nowMs - ASIDE_MS);

/** Removes the notes in a folder that were written before a time. @param before epoch milliseconds @returns how many */
export function removeOlder(folder: string, before: number): number {
  const old = names(folder).filter((name) => {
    const stat = statSync(join(folder, name), { throwIfNoEntry: false });
    return stat !== undefined && stat.mtimeMs < before;
  });
  for (const name of old) rmSync(join(folder, name), { force: true });
  return old.length;
}

/** The files of a folder in the order in which they were written. */
function oldestFirst(folder: string): string[] {
  const files = names(folder).map((name) => join(folder, name));
  const written = new Map(files.map((file) => [file, statSync(file).mtimeMs]));
  return files.sort((one, other) => (written.get(one) ?? 0) - (written.get(other) ?? 0));
}

/** The names of the notes in a folder. One that is not UTF-8 cannot be opened by its name; no note has such a name. */
export const names = (folder: string): string[] =>
  filesIn(folder)
    .filter((name) => name.endsWith('.json') && !name.includes('\uFFFD'))
    .sort();

interface ReadEntry {
  entry?: Entry | undefined;
  /** Why it cannot be filed. */
  trouble?: string | undefined;
  /** Why it was set aside. */
  said?: string | undefined;
}

const entryShape = object({
  harness: literal(...HARNESSES),
  session_id: string,
  path: maybe(string),
  offset: maybe(number),
  ended: orElse(boolean, false),
  rests: orElse(boolean, false),
  tries: orElse(number, 0),
  reason: maybe(string),
});

/** An entry without `trouble`; one that can be named, with it; or neither, for a file that `write` did not write. */
function read(file: string): ReadEntry {
  let text: string | undefined;
  try {
    text = regularText(file);
  } catch (error) {
    return { trouble: messageOf(error) };
  }
  const found = shaped(entryShape, parseJson(text ?? ''));
  if (found === undefined) return { trouble: DAMAGED };
  const { session_id: sessionId, path: transcript, offset, reason: said, ...state } = found;
  const id = idTrouble(sessionId);
  const at = transcript === undefined ? undefined : pathTrouble(transcript);
  return {
    entry: { ...state, sessionId, transcript, offset },
    trouble:
      id !== undefined
        ? `its session id ${id}`
        : at === undefined
          ? undefined
          : `the path of its transcript ${at}`,
    said,
  };
}

const DAMAGED = 'its entry in the queue is damaged';
const ENDED = 'each run that tried to file it was ended, or took too long';
