import { statSync } from 'node:fs';
import { HARNESSES, type Harness } from '../../../feeders/transcripts/index.js';

/** The folders, of those in which a program keeps transcripts, that are there. */
export function placesOf(harness: Harness, env: NodeJS.ProcessEnv): string[] {
  return harness.places(env).filter((folder) => statSync(folder, { throwIfNoEntry: false })?.isDirectory());
}

/** The program of this name; undefined for one whose sessions are no files. */
export function harnessNamed(name: string): Harness | undefined {
  return HARNESSES.find((harness) => harness.name === name);
}
