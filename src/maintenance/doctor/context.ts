import type { Config } from '../../config/index.js';
import type { Folders } from '../../platform/folders.js';
import type { LockHolder } from '../../platform/lock.js';
import type { ModelIdentity } from '../../store/index.js';
import type { Finding } from './finding.js';

export interface DoctorOptions {
  env: NodeJS.ProcessEnv;
  /** `folders.palace` is the palace of the flag, the environment or the default. */
  folders: Folders;
  /** The flag, which goes before every other palace. */
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

/** What the checks are told, and what earlier ones leave for later ones. */
export interface DoctorContext extends DoctorOptions {
  /** Undefined when the configuration is malformed: defaults hold then. */
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
  /** Whose vectors the palace holds. */
  palaceModel: ModelIdentity | undefined;
}

/** A look at one matter. What it throws becomes a finding under `label`. */
export interface DoctorCheck {
  label: string;
  /** Left out, and said so, where databases cannot be opened. */
  needsSqlite?: boolean;
  /** A `usage` error of it is one of the command line, and no finding. */
  judgesFlags?: boolean;
  run(context: DoctorContext): Promise<Finding[]> | Finding[];
}
