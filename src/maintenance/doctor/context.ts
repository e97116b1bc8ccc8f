import type { Config } from '../../config/index.js';
import { messageOf, UserError } from '../../core/errors.js';
import type { Folders } from '../../platform/folders.js';
import type { LockHolder } from '../../platform/lock.js';
import type { ModelIdentity } from '../../store/index.js';

export interface Finding {
  status: 'ok' | 'warn' | 'fail';
  label: string;
  detail: string;
  /** The next step for the user; present with every `warn` and `fail`; advice with an `ok`. */
  next?: string;
}

/** As a check returns it: without a label of its own, it gets that of the check. */
export type Found = Omit<Finding, 'label'> & { label?: string | undefined };

export const ok = (detail: string, label?: string): Found => ({ status: 'ok', label, detail });
export const warn = (detail: string, next: string, label?: string): Found => ({
  ...ok(detail, label),
  status: 'warn',
  next,
});
export const fail = (detail: string, next: string, label?: string): Found => ({
  ...warn(detail, next, label),
  status: 'fail',
});

/** @param next for an error without a hint */
export const failure = (error: unknown, next: string, label?: string): Found =>
  fail(messageOf(error), (error instanceof UserError ? error.hint : undefined) ?? next, label);

export interface DoctorOptions {
  env: NodeJS.ProcessEnv;
  /** `folders.palace` is the palace of the flag, the environment or the default. */
  folders: Folders;
  /** Takes precedence over every other palace. */
  palaceFlag: string | undefined;
  /** Version of this program, with its commit if known. */
  version: string;
  root: string;
  /** Checks the whole palace, without a time limit. */
  full: boolean;
  /** Epoch milliseconds. */
  now: number;
}

/** Options, and results of earlier checks for later ones. */
export interface DoctorContext extends DoctorOptions {
  /** Undefined when the configuration is malformed: the defaults apply. */
  config: Config | undefined;
  palace: string;
  /** better-sqlite3 opens databases. */
  sqlite: boolean;
  /** The palace can be opened and has the schema of this program. */
  usable: boolean;
  palaceBytes: number;
  holder: LockHolder | undefined;
  palaceModel: ModelIdentity | undefined;
}
