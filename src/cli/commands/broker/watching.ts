import { spawn } from 'node:child_process';
import { statSync } from 'node:fs';
import { setPriority } from 'node:os';
import { readProjectList } from '../../../config/projects.js';
import { judgeName } from '../../../feeders/docs/classify.js';
import { type DatabaseLocation, locateDatabases } from '../../../feeders/session/locate.js';
import { type Placed, placedHarnesses } from '../../../feeders/transcripts/present.js';
import { inPackage } from '../../../platform/in-package.js';
import { resolveLinks } from '../../../platform/resolve-links.js';
import { networkFileSystem } from '../../../store/index.js';
import { type Place, type Watched, Watcher } from '../../../watch/watcher.js';
import type { CommandContext } from '../../app/runner.js';

/** Time that a feeder waits for another run. */
const WAIT = '10m';
/** What the patterns of all programs end with. */
const TRANSCRIPT = /\.(?:jsonl|json|zst)$/;
/** The lowest priority. */
const NICE = 19;

/** The watcher of a broker: listed projects, opencode's databases and the transcripts of other agents. */
export function watcherOf(
  { config, folders, env }: CommandContext,
  onEvent: (text: string) => void,
): Watcher {
  const listed = readProjectList(folders).projects.map(({ dir }) => dir);
  const watched = watchedOf(listed, locateDatabases({ db: [], env, folders }).found, placedHarnesses(env));
  const common = ['--quiet', '--wait', WAIT, '--palace', config.palace];
  return new Watcher({
    watched,
    quietMs: config.broker.watchMinutes * 60_000,
    file: ([program = '', ...args], signal) => run(program, [...args, ...common], env, signal),
    onEvent,
  });
}

/**
 * What is watched of listed projects and databases, also of those that are missing now, and of folders of transcripts. Links are resolved: the watcher does not
 * follow them, and SQLite puts the log of a database next to the file itself.
 */
export function watchedOf(
  projects: readonly string[],
  histories: readonly DatabaseLocation[],
  harnesses: readonly Placed[] = [],
): Watched[] {
  const isNoDocument = (name: string): boolean => judgeName(name).reason !== undefined;
  const folders = projects.map((dir) => ({
    name: dir,
    find: () => placeOf(dir),
    command: ['mempalace-docs', dir],
    ignores: isNoDocument,
  }));
  const databases = histories.map(({ path: given, kind }) => ({
    name: given,
    find: () => (kind === 'json' ? placeOf(given) : databaseAt(given)),
    command: ['mempalace-session', '--db', given, '--since'],
  }));
  const transcripts = harnesses.flatMap((each) =>
    each.folders.map((folder) => ({
      name: folder,
      find: () => placeOf(folder),
      command: ['mempalace-session', '--from', each.harness.name, '--since'],
      ignores: (name: string) => !TRANSCRIPT.test(name),
    })),
  );
  return [...folders, ...databases, ...transcripts];
}

function placeOf(given: string): Place | undefined {
  const path = resolveLinks(given);
  return path === undefined ? undefined : { paths: [path], polling: networkFileSystem(path) !== undefined };
}

function databaseAt(given: string): Place | undefined {
  const place = placeOf(given);
  if (place === undefined) return undefined;
  // New rows are in its log first.
  const paths: Place['paths'] = [place.paths[0], `${place.paths[0]}-wal`];
  return { ...place, paths, state: () => paths.map(sizeAndTime).join() };
}

/** Of a file with content: SQLite touches an empty log when it only reads. */
function sizeAndTime(file: string): string {
  const stat = statSync(file, { throwIfNoEntry: false });
  return stat === undefined || stat.size === 0 ? '' : `${stat.size} ${stat.mtimeMs}`;
}

/** Runs a feeder with the lowest priority. @returns its exit code; null if it could not start or was ended */
function run(
  program: string,
  args: readonly string[],
  env: NodeJS.ProcessEnv,
  signal: AbortSignal,
): Promise<number | null> {
  return new Promise((resolve) => {
    const child = spawn(process.execPath, [inPackage(`bin/${program}`), ...args], {
      env,
      stdio: 'ignore',
      signal,
    });
    // It is also an error that the signal ended it; then its exit follows.
    child.on('error', () => child.pid === undefined && resolve(null));
    child.on('exit', resolve);
    if (child.pid !== undefined) setPriority(child.pid, NICE);
  });
}
