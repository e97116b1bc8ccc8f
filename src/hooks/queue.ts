import { existsSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { isErrno } from '../core/errors.js';
import { fnv1a } from '../core/hash.js';
import { moveIntoPlace, temporaryBeside } from '../platform/atomic-write.js';
import { makeFolder } from '../platform/make-folder.js';
import { HARNESSES, type Harness } from './protocol.js';

/** A session with something new, to be filed by the background run. */
export interface Entry {
  harness: Harness;
  sessionId: string;
  /** Absolute; undefined for sessions that lie in a database. */
  transcript: string | undefined;
  /** Bytes of the transcript when the hook ran. */
  offset: number | undefined;
  /** How many runs have tried in vain. */
  tries: number;
}

/** An entry that a run has taken, and the file that stands for it until it is filed. */
export interface Taken extends Entry {
  file: string;
}

/** Where hooks of a palace leave what is to be filed. */
export const hooksFolder = (palace: string): string => join(palace, 'hooks');
const waitingFolder = (palace: string): string => join(hooksFolder(palace), 'queue');
const takenFolder = (palace: string): string => join(hooksFolder(palace), 'taken');

/**
 * Notes a session, for good when it returns. One file a session: what is noted twice before a run begins is
 * filed once.
 *
 * @returns false when exactly this is noted already
 * @throws the file system's error
 */
export function enqueue(palace: string, entry: Omit<Entry, 'tries'>): boolean {
  const folder = waitingFolder(palace);
  const name = `${fnv1a(JSON.stringify([entry.harness, entry.sessionId, entry.transcript ?? null]))}.json`;
  const file = join(folder, name);
  const noted = readEntry(file);
  if (noted !== undefined && entry.offset !== undefined && noted.offset === entry.offset) return false;
  makeFolder(folder);
  write(file, { ...entry, tries: 0 });
  return true;
}

function write(file: string, { harness, sessionId, transcript, offset, tries }: Entry): void {
  const text = JSON.stringify({ harness, session_id: sessionId, path: transcript ?? null, offset, tries });
  const temporary = temporaryBeside(file);
  try {
    writeFileSync(temporary, `${text}\n`, { flag: 'wx', mode: 0o600 });
    moveIntoPlace(temporary, file);
  } finally {
    rmSync(temporary, { force: true });
  }
}

/** Sessions noted that no run has taken. */
export function noted(palace: string): number {
  return names(waitingFolder(palace)).length;
}

/** Sessions noted and not yet filed. */
export function waiting(palace: string): number {
  return noted(palace) + names(takenFolder(palace)).length;
}

/**
 * Takes all that is noted, and what a run that was killed had taken. A hook that runs meanwhile makes a new
 * entry, which this run or the next takes. To be called by one run at a time.
 *
 * @throws the file system's error
 */
export function take(palace: string): Taken[] {
  const [from, to] = [waitingFolder(palace), takenFolder(palace)];
  const fresh = names(from);
  if (fresh.length > 0) makeFolder(to);
  for (const name of fresh) renameSync(join(from, name), join(to, name));
  const taken: Taken[] = [];
  for (const name of names(to)) {
    const file = join(to, name);
    const entry = readEntry(file);
    if (entry === undefined) rmSync(file, { force: true });
    else taken.push({ ...entry, file });
  }
  return taken;
}

/** The session is filed, or never will be. */
export function settle(taken: Taken): void {
  rmSync(taken.file, { force: true });
}

/** Leaves a session for the next run, which sees how often it was tried. */
export function putBack(taken: Taken): void {
  write(taken.file, { ...taken, tries: taken.tries + 1 });
}

function names(folder: string): string[] {
  if (!existsSync(folder)) return [];
  return readdirSync(folder)
    .filter((name) => name.endsWith('.json'))
    .sort();
}

/** Undefined for what is not there, or was not written by `write`. */
function readEntry(file: string): Entry | undefined {
  try {
    const json: unknown = JSON.parse(readFileSync(file, 'utf8'));
    if (typeof json !== 'object' || json === null) return undefined;
    const field = (name: string): unknown => Reflect.get(json, name);
    const [sessionId, transcript, offset, tries] = ['session_id', 'path', 'offset', 'tries'].map(field);
    const harness = HARNESSES.find((name) => name === field('harness'));
    if (harness === undefined || typeof sessionId !== 'string') return undefined;
    return {
      harness,
      sessionId,
      transcript: typeof transcript === 'string' ? transcript : undefined,
      offset: typeof offset === 'number' ? offset : undefined,
      tries: typeof tries === 'number' ? tries : 0,
    };
  } catch (error) {
    if (isErrno(error, 'ENOENT') || error instanceof SyntaxError) return undefined;
    throw error;
  }
}
