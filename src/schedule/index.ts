import { existsSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { dayOfMoment } from '../core/day.js';
import type { Folders } from '../platform/folders.js';
import { inPackage } from '../platform/in-package.js';
import { resolveLinks } from '../platform/resolve-links.js';
import { Cron } from './cron.js';
import { Launchd } from './launchd.js';
import { runnerFor } from './run.js';
import { Systemd } from './systemd.js';
import {
  BROKER,
  JOBS,
  type Job,
  type Place,
  type Scheduler,
  type ScheduleStatus,
  type Step,
} from './types.js';

export {
  JOBS,
  type Job,
  type Scheduler,
  type SchedulerId,
  type ScheduleStatus,
  type Step,
} from './types.js';

/** Variables of the shell that runs need. None is secret. */
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
  /** `--bin`. */
  bin?: string | undefined;
  /** `--palace`. */
  palace?: string | undefined;
}

export function placeOf({ env, folders, bin, palace }: PlaceOptions): Place {
  const environment = Object.fromEntries<string>(
    CARRIED.flatMap((name) => (env[name] ? [[name, env[name]]] : [])),
  );
  if (palace !== undefined) environment.MEMPALACE_PALACE_PATH = palace;
  const { home, config, data } = folders;
  return {
    home,
    config,
    data,
    bin: bin === undefined ? binFolder(home, process.argv[1]) : resolve(bin),
    node: dirname(process.execPath),
    environment,
    uid: process.getuid?.() ?? 0,
    run: runnerFor(env),
  };
}

/**
 * The folder of the scheduled programs: that of the running program, unless it is the package's own, or `~/.local/bin`,
 * where install.sh puts them.
 */
export function binFolder(home: string, program: string | undefined): string {
  const own = inPackage('bin');
  const running = program === undefined ? own : dirname(resolve(program));
  const others = resolveLinks(running) === resolveLinks(own) ? [] : [running];
  const hasAll = (folder: string) => JOBS.every((job) => existsSync(join(folder, job)));
  return [...others, join(home, '.local', 'bin')].find(hasAll) ?? own;
}

/** The absolute path of one of our programs, for clients that a desktop starts with a minimal PATH. */
export function launcherOf(home: string, name: string): string {
  const adjacent = join(binFolder(home, process.argv[1]), name);
  return existsSync(adjacent) ? adjacent : join(binFolder('', undefined), name);
}

/** The broker as a service of the user's manager. */
export interface BrokerService extends Pick<Scheduler, 'id' | 'unavailable'> {
  /** Creates or updates its file and starts it; a second call changes nothing. */
  install(dryRun: boolean): Promise<Step[]>;
  /** Removes a file of the toolkit only. */
  remove(dryRun: boolean): Promise<Step[]>;
}

/** With every manager that keeps a service. */
export function brokerServicesAt(place: Place): BrokerService[] {
  return [new Launchd(place), new Systemd(place)].map((manager) => ({
    id: manager.id,
    unavailable: () => manager.unavailable(),
    install: (dryRun) => manager.install([BROKER], dryRun),
    remove: (dryRun) => manager.remove([BROKER], dryRun),
  }));
}

/** All schedulers, the best for a machine first. */
export function schedulersAt(place: Place): Scheduler[] {
  return [new Launchd(place), new Systemd(place), new Cron(place)];
}

export async function statusOfJob(scheduler: Scheduler, job: Job): Promise<ScheduleStatus> {
  const found = await scheduler.status(job);
  const unknown = { next: null, last: null, result: null, exitCode: null, installedAt: null };
  const installed = found !== undefined;
  return { scheduler: scheduler.id, job, installed, active: false, ...unknown, problems: [], ...found };
}

/** The state of every program in every scheduler of this machine, with duplicates as problems. Runs the schedulers' programs. */
export async function scheduleStatus(
  options: PlaceOptions,
  jobs: readonly Job[] = JOBS,
): Promise<ScheduleStatus[]> {
  const statuses: ScheduleStatus[] = [];
  for (const scheduler of schedulersAt(placeOf(options))) {
    const available = (await scheduler.unavailable()) === undefined;
    if (!available && scheduler.id === 'cron') continue;
    // Files without their scheduler are reported too.
    for (const job of jobs) {
      const status = await statusOfJob(scheduler, job);
      if (available || status.installed) statuses.push(status);
    }
  }
  const installed = statuses.filter((each) => each.installed);
  return statuses.map((each) => {
    const others = installed.filter((other) => other.job === each.job && other !== each);
    if (!each.installed || others.length === 0) return each;
    const names = others.map(({ scheduler }) => scheduler).join(' and ');
    const problem = `${names} runs it too: mempalace schedule remove --with ${others[0]?.scheduler}`;
    return { ...each, problems: [...each.problems, problem] };
  });
}

const DAY_MS = 86_400_000;
/** Two weekly runs. */
export const STALE_DAYS = 14;

/**
 * Scheduled programs without a success for 14 days. A program that never succeeded counts when it was scheduled that long
 * ago, or has run.
 *
 * @param runs from the palace; `doneMs`: end of the last success, epoch milliseconds
 * @param schedules called only when a program may be stale, since it runs the schedulers' programs
 * @returns `lastDone`: end of the last success, ISO 8601, null for never; `days`: whole days since then, or since it was
 *   scheduled; null when both are unknown
 */
export async function staleFeeders(
  jobs: readonly Job[],
  runs: readonly { command: string; doneMs: number | null }[],
  schedules: () => Promise<ScheduleStatus[]>,
  nowMs: number,
) {
  const old = (ms: number) => nowMs - ms > STALE_DAYS * DAY_MS;
  const done = new Map(runs.map(({ command, doneMs }) => [command, doneMs]));
  const suspects = jobs.filter((job) => old(done.get(job) ?? Number.NEGATIVE_INFINITY));
  if (suspects.length === 0) return [];
  const installed = (await schedules()).filter((each) => each.installed);
  return suspects.flatMap((command) => {
    const mine = installed.filter(({ job }) => job === command);
    if (mine.length === 0) return [];
    const doneMs = done.get(command) ?? null;
    const [since = null] = mine.flatMap(({ installedAt }) => installedAt ?? []).sort();
    const sinceMs = doneMs ?? (since === null ? null : Date.parse(since));
    // Scheduled recently, and not run since.
    if (!done.has(command) && (sinceMs === null || !old(sinceMs))) return [];
    const days = sinceMs === null ? null : Math.floor((nowMs - sinceMs) / DAY_MS);
    const schedulers = mine.map(({ scheduler }) => scheduler);
    const lastDone = doneMs === null ? null : new Date(doneMs).toISOString();
    const problem =
      lastDone === null
        ? 'has never finished'
        : `has not succeeded for ${days} days, since ${dayOfMoment(lastDone)}`;
    const notice = `${command} ${problem}, although ${schedulers.join(' and ')} should run it weekly: see mempalace schedule status`;
    return [{ command, schedulers, lastDone, days, notice }];
  });
}
