import type { Folders } from '../platform/folders.js';

/** The scheduled programs, in the order in which they run. */
export const JOBS = ['mempalace-session', 'mempalace-docs'] as const;
export type Job = (typeof JOBS)[number];

/** The broker as a service: started at login, and again after a failure. cron has none. */
export const BROKER = 'mempalace-broker';
/** What systemd and launchd start. */
export type Service = Job | typeof BROKER;

export const programOf = (service: Service): string => (service === BROKER ? 'mempalace' : service);

export type SchedulerId = 'systemd' | 'launchd' | 'cron';

/** A change that was made, or would be. */
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
  /** The reason, or a remark; the whole message of a `note`. */
  why?: string;
  /** A requested change was not made. */
  problem?: true;
}

export interface ScheduleStatus {
  scheduler: SchedulerId;
  job: Job;
  /** Its files or its line exist. */
  installed: boolean;
  /** The scheduler will run it; null where that is unknown. */
  active: boolean | null;
  /** ISO 8601; null where unknown, or without a next run. */
  next: string | null;
  /** Start of the last run, ISO 8601; null where unknown. */
  last: string | null;
  /** Result of the last run, in the scheduler's word. */
  result: string | null;
  exitCode: number | null;
  /** Date of the file, ISO 8601; null for cron, and without a file. */
  installedAt: string | null;
  /** Problems, each with its solution. */
  problems: string[];
}

/** Why a scheduler cannot be used here. */
export interface Unavailable {
  reason: string;
  hint: string;
}

/** The properties of an installed job; those that are absent are unknown. */
export type InstalledJob = Pick<ScheduleStatus, 'active' | 'problems'> & Partial<ScheduleStatus>;

export interface Scheduler {
  readonly id: SchedulerId;
  /** Undefined if it can be used. */
  unavailable(): Promise<Unavailable | undefined>;
  /** Creates or updates files and schedules; a second call changes nothing. */
  install(jobs: readonly Job[], dryRun: boolean): Promise<Step[]>;
  /** Undefined if the job is not installed. */
  status(job: Job): Promise<InstalledJob | undefined>;
  /** Removes files and lines of the toolkit only. */
  remove(jobs: readonly Job[], dryRun: boolean): Promise<Step[]>;
}

export interface Place extends Pick<Folders, 'home' | 'config' | 'data'> {
  /** Folder of the scheduled programs. */
  bin: string;
  /** Folder of the node that runs them. */
  node: string;
  /** Variables for the runs, since schedulers do not read a shell's start files. */
  environment: Record<string, string>;
  uid: number;
  run: Run;
}

export interface Ran {
  /** Undefined when the program is not installed. */
  exitCode: number | undefined;
  stdout: string;
  stderr: string;
}

export type Run = (program: string, args: readonly string[], input?: string) => Promise<Ran>;
