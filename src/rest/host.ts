import type { Config } from '../config/index.js';
import { UserError } from '../core/errors.js';
import type { LogLevel, LogName } from '../core/logs.js';
import { refusingUnknownNames } from '../operations/known-names.js';
import type { Status, Surroundings } from '../operations/listing/status.js';
import { confinedTo } from '../service/confined/index.js';
import type { PalaceService } from '../service/contract/index.js';
import { OutsideWing } from '../service/contract/outside.js';
import type { Document } from './documents.js';
import type { Live } from './events/live.js';

export type Feeder = 'mempalace-docs' | 'mempalace-session';

/** How far a program is. */
export interface Progress {
  step: string;
  done: number;
  total: number;
  note: string;
}

/** On whose behalf a request is answered. */
export interface Client {
  readonly name: string;
  readonly readOnly: boolean;
  /** The only one that exists for it; absent: the whole palace. */
  readonly wing?: string | undefined;
}

/** Which lines of the logs are wanted. */
export interface LogAsked {
  /** Of this log only. */
  log?: LogName | undefined;
  /** Not less important. */
  level?: LogLevel | undefined;
  limit: number;
}

/** What concerns more than the palace: only the page of this machine may ask for it. */
export interface Machine {
  /** The document of `mempalace doctor`. */
  doctor(signal: AbortSignal): Promise<unknown>;
  /** The agents that are connected. */
  connections(): object[];
  /** The document of `mempalace projects`. */
  projects(): Document<'projects'>;
  /** Runs a feeder to its end. @returns the document that it prints; throws its error */
  feed(program: Feeder, args: readonly string[], onProgress: (progress: Progress) => void): Promise<unknown>;
  /** The document of `mempalace config show`: the settings that programs which start now have. */
  settings(): Promise<Document<'config'>>;
  /** The document of `mempalace config set`, or `unset` without a value. */
  changeSetting(key: string, value: string | undefined, signal: AbortSignal): Promise<unknown>;
  /** The document of `mempalace schedule`. */
  schedules(): Promise<Document<'scheduleStatus'>>;
  /** The document of `mempalace log`. */
  log(asked: LogAsked): Promise<Document<'log'>>;
  /** The document of `mempalace suggestions --apply`. @param options further ones of the command */
  applyProposal(id: string, options: readonly string[], signal: AbortSignal): Promise<unknown>;
  /** Folder of the staged files. */
  readonly cache: string;
}

/** Provided by the program that serves. */
export interface RestHost {
  readonly service: PalaceService;
  readonly config: Config;
  /** What the program knows of the palace besides its content. */
  surroundings(feeders: Status['feeders']): Promise<Surroundings>;
  /** What happens to the palace. */
  readonly live: Live;
  /** Absent for clients of other machines. */
  machine?: Machine;
  /** Adds a line to the write log. */
  record(entry: Record<string, unknown>): Promise<void>;
  /** An error as the document of a failed command. */
  problem(error: unknown): Document<'error'>;
}

/**
 * The palace as a client may see it.
 *
 * @param asked what it asks
 * @throws OutsideWing for what concerns more than the wing that it is confined to
 */
export function serviceFor(
  { wing }: Client,
  { service }: Pick<RestHost, 'service'>,
  { path, inWing = false }: { path: string; inWing?: boolean },
): PalaceService {
  if (wing === undefined) return refusingUnknownNames(service);
  if (!inWing) throw new OutsideWing(wing, `${path} concerns the whole palace`);
  return confinedTo(wing, service);
}

/** @throws UserError `not-found` for clients of other machines */
export function machineOf({ machine }: Pick<RestHost, 'machine'>): Machine {
  if (machine !== undefined) return machine;
  throw new UserError('not-found', 'this concerns the machine: only the page of mempalace ui may ask for it');
}
