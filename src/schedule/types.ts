/** The programs that run on a schedule, in the order they are run in. */
export const JOBS = ['mempalace-session', 'mempalace-docs'] as const;
export type Job = (typeof JOBS)[number];

export type SchedulerId = 'systemd' | 'launchd' | 'cron';

/** What was done with one thing, or would be. */
export interface Step {
  /** A file, a timer, or the line of a crontab. */
  what: string;
  done:
    | 'written'
    | 'replaced'
    | 'unchanged'
    | 'started'
    | 'stopped'
    | 'removed'
    | 'absent'
    | 'skipped'
    | 'note';
  /** Why it was skipped, and what else is to be known; of a `note` all there is. */
  why?: string;
  /** What was asked for was not done. */
  problem?: true;
}

/** How one program stands with one scheduler. */
export interface ScheduleStatus {
  scheduler: SchedulerId;
  job: Job;
  /** Its files or its line are there. */
  installed: boolean;
  /** The scheduler knows of it and will run it; null where that cannot be told. */
  active: boolean | null;
  /** ISO 8601; null where the scheduler does not say, or nothing is to come. */
  next: string | null;
  /** When the scheduler started it last; null where it does not say. */
  last: string | null;
  /** How that ended, in the scheduler's word. */
  result: string | null;
  exitCode: number | null;
  /** When the file was written; null for cron, or when there is none. */
  installedAt: string | null;
  /** What is wrong with it, such as a doubled line, each with what to do. */
  problems: string[];
}

/** The status of what is not there. */
export function notInstalled(scheduler: SchedulerId, job: Job): ScheduleStatus {
  const unknown = { next: null, last: null, result: null, exitCode: null, installedAt: null };
  return { scheduler, job, installed: false, active: false, ...unknown, problems: [] };
}

/** Whether a scheduler can be used here; if not, why, and what to do. */
export type Availability = { available: true } | { available: false; reason: string; hint: string };

/** One way to run programs every week. */
export interface Scheduler {
  readonly id: SchedulerId;
  available(): Promise<Availability>;
  /** Brings files and scheduler to what they should be; twice does nothing the second time. */
  install(jobs: readonly Job[], dryRun: boolean): Promise<Step[]>;
  status(jobs: readonly Job[]): Promise<ScheduleStatus[]>;
  /** Takes away what is ours, and nothing else. */
  remove(jobs: readonly Job[], dryRun: boolean): Promise<Step[]>;
}

/** What is different on each machine. */
export interface Place {
  home: string;
  /** `~/.config`. */
  config: string;
  /** `~/.local/share`. */
  data: string;
  /** The folder of the programs that are to be run. */
  bin: string;
  /** The folder of a node that runs them. */
  node: string;
  /** Variables that the runs must have too, since no scheduler reads a shell's start files. */
  environment: Record<string, string>;
  /** The templates: `contrib/` of the package. */
  contrib: string;
  uid: number;
  run: Run;
}

export interface Ran {
  /** Undefined when the program is not there. */
  exitCode: number | undefined;
  stdout: string;
  stderr: string;
}

export type Run = (program: string, args: readonly string[], input?: string) => Promise<Ran>;
