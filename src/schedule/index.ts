import { existsSync, realpathSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import type { Folders } from '../platform/folders.js';
import { inPackage } from '../platform/in-package.js';
import { Cron } from './cron.js';
import { Launchd } from './launchd.js';
import { runnerFor } from './run.js';
import { Systemd } from './systemd.js';
import { JOBS, type Job, type Place, type Run, type Scheduler, type ScheduleStatus } from './types.js';

export { STALE_DAYS, staleFeeders } from './stale.js';
export {
  JOBS,
  type Job,
  type Scheduler,
  type SchedulerId,
  type ScheduleStatus,
  type Step,
} from './types.js';

const PACKAGE = inPackage('');

/** What a run must be told that is set in a shell only. Nothing secret is among them. */
const CARRIED = [
  'MEMPALACE_PALACE_PATH',
  'MEMPALACE_CONFIG',
  'MEMPALACE_MODELS',
  'MEMPALACE_MODEL',
  'MEMPALACE_LOG_LEVEL',
  'XDG_CACHE_HOME',
  'XDG_CONFIG_HOME',
  'XDG_DATA_HOME',
  'OPENCODE_DB',
  'OPENCODE_DATA_DIR',
];

export interface PlaceOptions {
  env: NodeJS.ProcessEnv;
  folders: Pick<Folders, 'home' | 'config' | 'data'>;
  /** The folder of the programs, when it was named. */
  bin?: string | undefined;
  /** The palace, when the command line named another than the environment. */
  palace?: string | undefined;
  /** For tests. */
  run?: Run;
}

/** This machine, as the schedulers must know it. */
export function placeOf({ env, folders, bin, palace, run = runnerFor(env) }: PlaceOptions): Place {
  const environment: Record<string, string> = {};
  for (const name of CARRIED) {
    const value = env[name];
    if (value !== undefined && value !== '') environment[name] = value;
  }
  if (palace !== undefined) environment.MEMPALACE_PALACE_PATH = palace;
  return {
    home: folders.home,
    config: folders.config,
    data: folders.data,
    bin: bin === undefined ? binFolder(folders.home, process.argv[1]) : resolve(bin),
    node: dirname(process.execPath),
    environment,
    contrib: join(PACKAGE, 'contrib'),
    uid: process.getuid?.() ?? 0,
    run,
  };
}

/**
 * Where the programs lie that are to be run: beside the one that runs now, unless that is the package itself,
 * and in `~/.local/bin` where install.sh puts them.
 */
export function binFolder(home: string, program: string | undefined): string {
  const own = join(PACKAGE, 'bin');
  const beside =
    program === undefined ? [] : [dirname(resolve(program))].filter((folder) => !isSame(folder, own));
  const holds = (folder: string) => JOBS.every((job) => existsSync(join(folder, job)));
  return [...beside, join(home, '.local', 'bin')].find(holds) ?? own;
}

function isSame(one: string, other: string): boolean {
  try {
    return realpathSync(one) === realpathSync(other);
  } catch {
    return false;
  }
}

/** All ways there are, the one that fits a machine best first. */
export function schedulersAt(place: Place): Scheduler[] {
  return [new Launchd(place), new Systemd(place), new Cron(place)];
}

/**
 * How every scheduled program stands with every scheduler of this machine: what is installed, what is wrong
 * with it, doubled lines included. Starts the schedulers' programs, and takes as long as they take.
 */
export async function scheduleStatus(
  options: PlaceOptions,
  jobs: readonly Job[] = JOBS,
): Promise<ScheduleStatus[]> {
  const statuses: ScheduleStatus[] = [];
  for (const scheduler of schedulersAt(placeOf(options))) {
    const { available } = await scheduler.available();
    if (!available && scheduler.id === 'cron') continue;
    // Files that were left without their scheduler count too.
    statuses.push(...(await scheduler.status(jobs)).filter(({ installed }) => available || installed));
  }
  const twice = jobs.filter(
    (job) => statuses.filter((each) => each.job === job && each.installed).length > 1,
  );
  return statuses.map((each) => {
    if (!each.installed || !twice.includes(each.job)) return each;
    const others = statuses.filter((other) => other.installed && other.job === each.job && other !== each);
    const names = others.map(({ scheduler }) => scheduler).join(' and ');
    return {
      ...each,
      problems: [
        ...each.problems,
        `${names} runs it too: mempalace schedule remove --with ${others[0]?.scheduler}`,
      ],
    };
  });
}
