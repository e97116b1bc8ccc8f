import { existsSync, rmSync, symlinkSync } from 'node:fs';
import { dirname } from 'node:path';
import { sha256 } from '../core/hash.js';
import { editFile } from '../platform/atomic-write.js';
import { makeFolder, missingFolders, removeEmptyFolder } from '../platform/make-folder.js';
import { hunksOf } from './hunks.js';
import type { LinkChange, TextChange } from './plan.js';
import type { SetupRecord } from './record.js';

/** Does a planned change, and notes in the record how it is taken back. @throws the file system's error */
export function apply(change: TextChange | LinkChange, record: SetupRecord): void {
  const { file } = change;
  const made = missingFolders(file);
  if (change.kind === 'link') applyLink(file, change.target, record);
  else applyText(change, record);
  if (existsSync(file)) record.folders.push(...made.filter((folder) => !record.folders.includes(folder)));
  else removeFolders(file, record);
}

function applyText({ agent, file, after, bare, containers }: TextChange, record: SetupRecord): void {
  if (after === undefined) rmSync(file);
  else editFile(file, after);
  record.files = record.files.filter((each) => each.file !== file);
  if (after === undefined || after === bare) return;
  record.files.push({
    file,
    agent: agent.id,
    made: bare === undefined,
    sha256: sha256(after),
    hunks: hunksOf(bare ?? '', after),
    containers,
  });
}

function applyLink(file: string, target: string | undefined, record: SetupRecord): void {
  rmSync(file, { force: true });
  record.links = record.links.filter((each) => each !== file);
  if (target === undefined) return;
  makeFolder(dirname(file));
  symlinkSync(target, file);
  record.links.push(file);
}

/** Removes the folders that were made for a file, if they are empty. */
function removeFolders(file: string, record: SetupRecord): void {
  for (let folder = dirname(file); record.folders.includes(folder); folder = dirname(folder)) {
    if (!removeEmptyFolder(folder)) return;
    record.folders = record.folders.filter((each) => each !== folder);
  }
}
