import { closeSync, fsyncSync, openSync, realpathSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { isErrno } from '../core/errors.js';
import { makeFolder } from './make-folder.js';

/**
 * Replaces a file of a person's as a whole (0600, in a folder made 0700 where there was none), and where it is a
 * link, what the link names.
 */
export function replaceFile(path: string, text: string): void {
  makeFolder(dirname(path));
  const target = realPath(path);
  const temporary = temporaryBeside(target);
  try {
    writeFileSync(temporary, text, { flag: 'wx', mode: 0o600 });
    moveIntoPlace(temporary, target);
  } finally {
    rmSync(temporary, { force: true });
  }
}

function realPath(path: string): string {
  try {
    return realpathSync(path);
  } catch (error) {
    if (isErrno(error, 'ENOENT')) return path;
    throw error;
  }
}

/** A name that nobody else has for what shall become `file`, in its folder. */
export function temporaryBeside(file: string): string {
  return `${file}.${process.pid}-${process.hrtime.bigint().toString(36)}.tmp`;
}

/** Gives a finished file its name: after a power cut there is the whole file or what lay there before. */
export function moveIntoPlace(temporary: string, file: string): void {
  sync(temporary);
  renameSync(temporary, file);
  syncFolder(dirname(file));
}

/** Makes renames in a folder last; where folders cannot be opened (Windows) the system does so itself. */
export function syncFolder(folder: string): void {
  if (process.platform !== 'win32') sync(folder);
}

function sync(path: string): void {
  const descriptor = openSync(path, 'r');
  try {
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}
