import { statSync, utimesSync } from 'node:fs';
import { join } from 'node:path';
import { fnv1a } from '../core/hash.js';
import { parseJson } from '../core/json.js';
import { array, boolean, literal, maybe, object, orElse, shaped, string } from '../core/shape.js';
import { replaceFile } from '../platform/atomic-write.js';
import { regularText } from '../platform/regular-file.js';
import { HARNESSES, type Harness, idTrouble, pathTrouble, sessionKey } from './protocol.js';
import { hooksFolder, names, removeOlder } from './queue.js';

/** What the hooks of a session remember. */
export interface SessionNote {
  harness: Harness;
  sessionId: string;
  /** Absolute. */
  transcript: string | undefined;
  cwd: string | undefined;
  /** Hashes of the checkpoints that it was told. */
  told: readonly string[];
  /** Its first prompt has been looked up. */
  prompted: boolean;
  /** Its end was reported, or that it broke off. */
  ended: boolean;
}

type Name = Pick<SessionNote, 'harness' | 'sessionId' | 'cwd'>;

/** After this time without a hook a note is removed. */
const KEPT_MS = 30 * 24 * 3_600_000;

const notesFolder = (palace: string): string => join(hooksFolder(palace), 'sessions');
const prefixOf = (cwd: string | undefined): string => `${fnv1a(cwd ?? '')}-`;
const suffixOf = ({ harness, sessionId }: Name): string =>
  `${fnv1a(JSON.stringify([harness, sessionId]))}.json`;
const nameOf = (name: Name): string => prefixOf(name.cwd) + suffixOf(name);

/** The note of a session; a new one if there is none. */
export function noteOf(palace: string, name: Name): SessionNote {
  const { harness, sessionId, cwd } = name;
  const fresh = { transcript: undefined, told: [], prompted: false, ended: false };
  return readNote(join(notesFolder(palace), nameOf(name))) ?? { harness, sessionId, cwd, ...fresh };
}

/** @throws the file system's error */
export function putNote(palace: string, note: SessionNote): void {
  const { sessionId: session_id, ...rest } = note;
  replaceFile(join(notesFolder(palace), nameOf(note)), `${JSON.stringify({ ...rest, session_id })}\n`);
}

/**
 * Notes that a session ended, as another one says. It does not become the session that called a hook last.
 *
 * @throws the file system's error
 */
export function endSession(palace: string, note: SessionNote): void {
  const file = join(notesFolder(palace), nameOf(note));
  const { mtime } = statSync(file);
  putNote(palace, { ...note, ended: true });
  utimesSync(file, mtime, mtime);
}

/** Whether the first prompt of a session has been looked up, in whatever folder it was sent. */
export function wasPrompted(palace: string, name: Name): boolean {
  const folder = notesFolder(palace);
  return names(folder)
    .filter((file) => file.endsWith(`-${suffixOf(name)}`))
    .some((file) => readNote(join(folder, file))?.prompted === true);
}

/** The session in a folder that called a hook last, other than this one. */
export function sessionBefore(palace: string, name: Name): SessionNote | undefined {
  const [last] = notesIn(palace, name.cwd).filter(({ file }) => file !== nameOf(name));
  const note = last && readNote(join(notesFolder(palace), last.file));
  return note?.cwd === name.cwd ? note : undefined;
}

/**
 * The session in a folder that wrote to its transcript last; opencode's count by their last hook. Sessions whose transcript is
 * missing do not count.
 */
export function lastSessionIn(palace: string, cwd: string): SessionNote | undefined {
  const sessions = notesIn(palace, cwd).flatMap(({ file, mtimeMs }) => {
    const note = readNote(join(notesFolder(palace), file));
    if (note?.cwd !== cwd) return [];
    if (note.harness === 'opencode') return { note, mtimeMs };
    const { transcript = '' } = note;
    const stat = transcript === '' ? undefined : statSync(transcript, { throwIfNoEntry: false });
    return stat?.isFile() === true ? { note, mtimeMs: stat.mtimeMs } : [];
  });
  return sessions.sort((one, other) => other.mtimeMs - one.mtimeMs)[0]?.note;
}

/** The session with this id or source key, of whatever folder, that called a hook. */
export function sessionNamed(palace: string, name: string): SessionNote | undefined {
  const folder = notesFolder(palace);
  const notes = names(folder).map((file) => readNote(join(folder, file)));
  return notes.find((note) => note && [note.sessionId, sessionKey(note)].includes(name));
}

/** The files of notes of a folder, the last written first. */
function notesIn(palace: string, cwd: string | undefined): { file: string; mtimeMs: number }[] {
  const folder = notesFolder(palace);
  return names(folder)
    .filter((file) => file.startsWith(prefixOf(cwd)))
    .map((file) => ({ file, mtimeMs: statSync(join(folder, file), { throwIfNoEntry: false })?.mtimeMs ?? 0 }))
    .sort((one, other) => other.mtimeMs - one.mtimeMs);
}

/** Removes the notes of sessions that were long ago. */
export function removeOldNotes(palace: string, nowMs: number): void {
  removeOlder(notesFolder(palace), nowMs - KEPT_MS);
}

const noteShape = object({
  harness: literal(...HARNESSES),
  session_id: string,
  transcript: maybe(string),
  cwd: maybe(string),
  told: orElse(array(string), []),
  prompted: orElse(boolean, false),
  ended: orElse(boolean, false),
});

const usable = (path: string | undefined): string | undefined =>
  path === undefined || pathTrouble(path) !== undefined ? undefined : path;

/** Undefined for a file that is missing, unreadable, or that `putNote` did not write. */
function readNote(file: string): SessionNote | undefined {
  const found = shaped(noteShape, jsonIn(file));
  if (found === undefined || idTrouble(found.session_id) !== undefined) return undefined;
  const { session_id: sessionId, transcript, cwd, ...state } = found;
  return { ...state, sessionId, transcript: usable(transcript), cwd: usable(cwd) };
}

/** What a note says; undefined for one that is missing, unreadable or damaged. */
export function jsonIn(file: string): unknown {
  try {
    return parseJson(regularText(file) ?? '');
  } catch {
    return undefined;
  }
}
