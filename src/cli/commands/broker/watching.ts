import { spawn } from 'node:child_process';
import { setPriority } from 'node:os';
import { readProjectList } from '../../../config/projects.js';
import { locateDatabases } from '../../../feeders/session/index.js';
import { inPackage } from '../../../platform/in-package.js';
import { networkFileSystem } from '../../../store/index.js';
import { type Watched, Watcher } from '../../../watch/watcher.js';
import type { CommandContext } from '../../app/runner.js';

/** Time that a feeder waits for another run. */
const WAIT = '10m';
/** The lowest priority. */
const NICE = 19;

/** The watcher of a broker: listed projects and opencode's databases. Undefined where it is switched off. */
export function watcherOf(
  { config, folders, env }: CommandContext,
  onEvent: (text: string) => void,
): Watcher | undefined {
  const quietMs = config.broker.watchMinutes * 60_000;
  if (quietMs === 0) return undefined;
  const polling = (path: string): boolean => networkFileSystem(path) !== undefined;
  const projects: Watched[] = readProjectList(folders).projects.map(({ dir }) => ({
    paths: [dir],
    polling: polling(dir),
    command: ['mempalace-docs', dir],
  }));
  const histories = locateDatabases({ db: [], env, folders }).found;
  const databases: Watched[] = histories.map(({ path, kind }) => ({
    // New rows are in its log first.
    paths: kind === 'sqlite' ? [path, `${path}-wal`] : [path],
    polling: polling(path),
    command: ['mempalace-session', '--db', path, '--since'],
  }));
  const common = ['--quiet', '--wait', WAIT, '--palace', config.palace];
  return new Watcher({
    watched: [...projects, ...databases],
    quietMs,
    file: ([program = '', ...args], signal) => run(program, [...args, ...common], env, signal),
    onEvent,
  });
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
    child.on('error', () => resolve(null));
    child.on('exit', resolve);
    if (child.pid !== undefined) setPriority(child.pid, NICE);
  });
}
