import { statSync } from 'node:fs';
import type { Folders } from '../../platform/folders.js';
import { type DatabaseLocation, locateDatabases } from '../session/locate.js';
import { filesBelow } from './files-below.js';
import type { Harness } from './harness.js';
import { HARNESSES } from './harnesses/index.js';
import type { Place } from './options.js';

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

/** An agent with sessions on this machine. */
export interface AgentHere extends Pick<Harness, 'name' | 'label'> {
  /** Of opencode; none if the one that the user named is gone, which is a problem. */
  databases: DatabaseLocation[];
  /** Of another agent, with the number of its transcripts. */
  placed?: Placed & { transcripts: number };
}

/** The agents whose sessions can be filed: opencode, then the others by their names. No file is opened. */
export async function agentsWithSessions(env: NodeJS.ProcessEnv, folders: Folders): Promise<AgentHere[]> {
  const { found: databases } = locateDatabases({ db: [], env, folders });
  const isThere = databases.length > 0 || Boolean(env.OPENCODE_DB || env.OPENCODE_DATA_DIR);
  const agents: AgentHere[] = isThere ? [{ name: 'opencode', label: 'opencode', databases }] : [];
  for (const placed of placedHarnesses(env)) {
    const { harness } = placed;
    const below = await Promise.all(placed.folders.map((folder) => transcriptsIn({ folder, harness })));
    const { size: transcripts } = new Set(below.flat());
    const { name, label } = harness;
    if (transcripts > 0) agents.push({ name, label, databases: [], placed: { ...placed, transcripts } });
  }
  return agents;
}

/** Absolute paths of the files in a folder, or of the given ones, that can be transcripts by their names. */
export async function transcriptsIn(
  { folder, harness }: Place,
  files?: readonly string[],
): Promise<string[]> {
  const readers = readersOf(harness);
  const patterns = new Set(readers.flatMap((each) => each.patterns));
  const found = new Set(files ?? (await filesBelow(folder, [...patterns])));
  const has = (path: string) => found.has(path);
  return [...found].filter((path) => readers.every((each) => each.isTranscript?.(path, has) !== false));
}

export function readersOf(harness: Harness | undefined): readonly Harness[] {
  return harness === undefined ? HARNESSES : [harness];
}
