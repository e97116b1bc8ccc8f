import { closeSync, openSync, readFileSync, writeSync } from 'node:fs';

/** Between two changes of the file of a program that writes. */
export const BEAT_MS = 3_000;

/** Changes the file, so that other machines see that its program lives. A file that was removed is not made again. */
export function beat(file: string): void {
  try {
    const record = JSON.parse(readFileSync(file, 'utf8') || '{}');
    const text = JSON.stringify({ ...record, beats: (record.beats ?? 0) + 1 });
    // Written over, not replaced: the system that has the folder gives the time of the change.
    const descriptor = openSync(file, 'r+');
    try {
      writeSync(descriptor, text, 0);
    } finally {
      closeSync(descriptor);
    }
  } catch {
    // The program that writes finds it out with its next transaction.
  }
}
