import { statSync } from 'node:fs';
import { filesBelow } from './files-below.js';
import type { Harness } from './harness.js';
import { HARNESSES } from './harnesses/index.js';

/** A program with a usual folder of transcripts; an export has none. */
export interface Placed {
  harness: Harness;
  /** Those that can contain its transcripts, existing or not. */
  places: string[];
  /** The existing ones. */
  folders: string[];
}

/** The programs of `--from`, by their names. */
export function placedHarnesses(env: NodeJS.ProcessEnv): Placed[] {
  return HARNESSES.flatMap((harness) => {
    const places = harness.places?.(env);
    if (places === undefined) return [];
    const folders = places.filter((folder) => statSync(folder, { throwIfNoEntry: false })?.isDirectory());
    return [{ harness, places, folders }];
  }).sort((one, other) => (one.harness.name < other.harness.name ? -1 : 1));
}

/** Absolute paths of the transcripts in its folders, by their names; none is opened. */
export async function transcriptsOf({ harness, folders }: Placed): Promise<string[]> {
  const below = await Promise.all(folders.map((folder) => filesBelow(folder, [...harness.patterns])));
  const found = new Set(below.flat());
  return [...found].filter((path) => harness.isTranscript?.(path, (other) => found.has(other)) !== false);
}
