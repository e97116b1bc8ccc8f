import type { Config } from '../../config/index.js';
import type { Folders } from '../../platform/folders.js';
import type { LockHolder } from '../../platform/lock.js';
import type { ModelIdentity } from '../../store/index.js';

/** What one look at the machine or the palace brought. */
export interface Finding {
  status: 'ok' | 'warn' | 'fail';
  /** What was looked at, in a word or two. */
  label: string;
  detail: string;
  /** The next step to type, or to do; with every `warn` and `fail`. */
  next?: string;
}

export const ok = (label: string, detail: string): Finding => ({ status: 'ok', label, detail });
export const warn = (label: string, detail: string, next: string): Finding => ({
  ...ok(label, detail),
  status: 'warn',
  next,
});
export const fail = (label: string, detail: string, next: string): Finding => ({
  ...warn(label, detail, next),
  status: 'fail',
});

export interface DoctorOptions {
  env: NodeJS.ProcessEnv;
  /** `folders.palace` is the palace of the flag, the environment or the default. */
  folders: Folders;
  /** The flag, which takes precedence over every other palace. */
  palaceFlag: string | undefined;
  /** Of this program, with its commit where that is known. */
  version: string;
  /** Folder of the package: what is installed. */
  root: string;
  /** Checks the whole palace, however long it takes. */
  full: boolean;
  /** Epoch milliseconds. */
  now: number;
}

/** What the checks are given, and what earlier ones leave for later ones. */
export interface DoctorContext extends DoctorOptions {
  /** Undefined when the configuration is malformed: the defaults apply then. */
  config: Config | undefined;
  /** The folder of the palace in force. */
  palace: string;
  /** better-sqlite3 opens databases. */
  sqlite: boolean;
  /** The palace can be opened and has the schema of this program. */
  usable: boolean;
  /** Bytes of the palace's file. */
  palaceBytes: number;
  /** Who files into the palace right now. */
  holder: LockHolder | undefined;
  /** Whose vectors the palace contains. */
  palaceModel: ModelIdentity | undefined;
}
