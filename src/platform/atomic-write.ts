import {
  chmodSync,
  closeSync,
  fsyncSync,
  openSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { dirname } from 'node:path';
import { isErrno } from '../core/errors.js';
import { makeFolder } from './make-folder.js';

/** `replaceFile`, for a file of another program: an existing one keeps its mode. */
export function editFile(path: string, text: string): void {
  const mode = statSync(path, { throwIfNoEntry: false })?.mode;
  replaceFile(path, text, mode === undefined ? undefined : mode & 0o777);
}

/** Replaces a user's file as a whole (0600; missing folders are made 0700). A link is followed. */
export function replaceFile(path: string, text: string, mode = 0o600): void {
  makeFolder(dirname(path));
  const target = realPath(path);
  const temporary = temporaryNextTo(target);
  try {
    writeFileSync(temporary, text, { flag: 'wx', mode: 0o600 });
    if (mode !== 0o600) chmodSync(temporary, mode);
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

/** A unique name in the same folder, for a file that will be renamed to `file`. */
export function temporaryNextTo(file: string): string {
  return `${file}.${process.pid}-${process.hrtime.bigint().toString(36)}.tmp`;
}

/** Renames a finished file: after a power cut there is either the whole new file or the old one. */
export function moveIntoPlace(temporary: string, file: string): void {
  sync(temporary);
  renameSync(temporary, file);
  syncFolder(dirname(file));
}

/** Makes renames in a folder durable. Windows cannot open folders and does so itself. */
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
