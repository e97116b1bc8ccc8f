import { rmSync, symlinkSync } from 'node:fs';
import { dirname } from 'node:path';
import { UserError } from '../core/errors.js';
import { sha256 } from '../core/hash.js';
import { editFile } from '../platform/atomic-write.js';
import { makeFolder, missingFolders, removeEmptyFolder } from '../platform/make-folder.js';
import { hunkOf } from './hunks.js';
import { type LinkChange, linkAt, type TextChange, textOf } from './plan.js';
import type { SetupRecord } from './record.js';

/**
 * Does a planned change. The record says how it is taken back, before the file is written.
 *
 * @param save writes the record
 * @throws UserError `failed` for a file that has changed since it was planned, or the file system's error
 */
export function apply(change: TextChange | LinkChange, record: SetupRecord, save: () => void): void {
  const { file, before } = change;
  if ((change.kind === 'text' ? textOf(file) : linkAt(file)) !== before)
    throw new UserError('failed', 'it has changed since; run mempalace setup again');
  if (change.kind === 'text' ? change.after === change.bare : change.target === undefined) {
    write(change);
    forget(file, record);
    save();
    return;
  }
  note(change, record);
  save();
  write(change);
}

function write(change: TextChange | LinkChange): void {
  const { file } = change;
  if (change.kind === 'text') {
    if (change.after === undefined) rmSync(file);
    else editFile(file, change.after);
    return;
  }
  rmSync(file, { force: true });
  if (change.target === undefined) return;
  makeFolder(dirname(file));
  symlinkSync(change.target, file);
}

function note(change: TextChange | LinkChange, record: SetupRecord): void {
  const { file } = change;
  record.folders.push(...missingFolders(file).filter((folder) => !record.folders.includes(folder)));
  record.files = record.files.filter((each) => each.file !== file);
  record.links = record.links.filter((each) => each !== file);
  if (change.kind === 'link') record.links.push(file);
  else {
    const { agent, after = '', bare, containers } = change;
    const hunks = [hunkOf(bare ?? '', after)];
    record.files.push({
      file,
      agent: agent.id,
      made: bare === undefined,
      sha256: sha256(after),
      hunks,
      containers,
    });
  }
}

/** Takes a file off the record, and removes the folders that were made for it, if they are empty. */
export function forget(file: string, record: SetupRecord): void {
  record.files = record.files.filter((each) => each.file !== file);
  record.links = record.links.filter((each) => each !== file);
  for (let folder = dirname(file); record.folders.includes(folder); folder = dirname(folder)) {
    if (!removeEmptyFolder(folder)) return;
    record.folders = record.folders.filter((each) => each !== folder);
  }
}
