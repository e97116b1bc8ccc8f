import { existsSync, readdirSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { isErrno } from '../core/errors.js';
import { fnv1a } from '../core/hash.js';
import { replaceFile } from '../platform/atomic-write.js';
import { makeFolder } from '../platform/make-folder.js';
import { HARNESSES, type Harness } from './protocol.js';

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
  tries: number;
}

/** An entry that a run has taken, and its file, which exists until the session is filed. */
export interface Taken extends Entry {
  file: string;
}

export const hooksFolder = (palace: string): string => join(palace, 'hooks');
/** The log of hooks and of their runs, where no other is named: nobody sees their stderr. */
export const hooksLog = (palace: string): string => join(hooksFolder(palace), 'hooks.log');
/** Exists while a background run starts or works. */
export const runTicket = (palace: string): string => join(hooksFolder(palace), 'runner');
const waitingFolder = (palace: string): string => join(hooksFolder(palace), 'queue');
const takenFolder = (palace: string): string => join(hooksFolder(palace), 'taken');

/**
 * Queues a session durably. There is one file per session: a session queued twice before a run begins is filed once.
 *
 * @returns false when the same entry is already queued
 * @throws the file system's error
 */
export function enqueue(palace: string, entry: Omit<Entry, 'tries'>): boolean {
  const name = `${fnv1a(JSON.stringify([entry.harness, entry.sessionId, entry.transcript ?? null]))}.json`;
  const file = join(waitingFolder(palace), name);
  const noted = readEntry(file);
  const isKnown = noted !== undefined && entry.offset !== undefined && noted.offset === entry.offset;
  if (isKnown && (noted.ended || !entry.ended)) return false;
  write(file, { ...entry, ended: entry.ended || noted?.ended === true, tries: 0 });
  return true;
}

function write(file: string, { harness, sessionId, transcript, offset, ended, tries }: Entry): void {
  const entry = { harness, session_id: sessionId, path: transcript ?? null, offset, ended, tries };
  replaceFile(file, `${JSON.stringify(entry)}\n`);
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
 * Takes all queued entries, including those that a killed run had taken. A hook that runs meanwhile adds a new entry for
 * this run or the next. Only one run at a time may call this.
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

/** Removes an entry whose session is filed or cannot be filed. */
export function settle(taken: Taken): void {
  rmSync(taken.file, { force: true });
}

/** Leaves a session for the next run, with one more failed try. */
export function putBack(taken: Taken): void {
  write(taken.file, { ...taken, tries: taken.tries + 1 });
}

function names(folder: string): string[] {
  if (!existsSync(folder)) return [];
  return readdirSync(folder)
    .filter((name) => name.endsWith('.json'))
    .sort();
}

/** Undefined for a file that is missing or that `write` did not write. */
function readEntry(file: string): Entry | undefined {
  try {
    const json: unknown = JSON.parse(readFileSync(file, 'utf8'));
    if (typeof json !== 'object' || json === null) return undefined;
    const entry: Partial<Record<string, unknown>> = { ...json };
    const { session_id: sessionId, path: transcript, offset, tries } = entry;
    const harness = HARNESSES.find((name) => name === entry.harness);
    if (harness === undefined || typeof sessionId !== 'string') return undefined;
    return {
      harness,
      sessionId,
      transcript: typeof transcript === 'string' ? transcript : undefined,
      offset: typeof offset === 'number' ? offset : undefined,
      ended: entry.ended === true,
      tries: typeof tries === 'number' ? tries : 0,
    };
  } catch (error) {
    if (isErrno(error, 'ENOENT') || error instanceof SyntaxError) return undefined;
    throw error;
  }
}
