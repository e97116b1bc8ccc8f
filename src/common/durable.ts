import { closeSync, fsyncSync, openSync, renameSync } from 'node:fs';
import { dirname } from 'node:path';

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
