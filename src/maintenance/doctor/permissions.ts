import { lstatSync, readdirSync, type Stats } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { modeFault, octal, PRIVATE_FILE, PRIVATE_FOLDER } from '../../core/modes.js';
import { shellQuoted } from '../../platform/shell-quoted.js';
import { palaceFile } from '../../store/db/palace-file.js';
import type { DoctorContext } from './context.js';

import { type Finding, fail, ok, warn } from './finding.js';

const LABEL = 'permissions';
/** Of the default palace; a folder of another name above one is not this program's. */
const OWN_FOLDER = '.mempalace';
const STAGING = ['mempalace-docs', 'mempalace-session', 'mempalace-import'];

/** Owner and mode of the palace, what SQLite keeps beside it, and the folders of staged files. */
export function checkPermissions({ palace, folders }: DoctorContext): Finding[] {
  const file = palaceFile(palace);
  const above = dirname(palace);
  const held = [...(basename(above) === OWN_FOLDER ? [above] : []), palace, join(palace, 'backups')];
  const staged = STAGING.map((name) => join(folders.cache, name)).flatMap((root) => [
    root,
    ...foldersIn(root),
  ]);
  let looked = 0;
  const judge = (paths: readonly string[]) =>
    paths.flatMap((path) => {
      const stat = statOf(path);
      if (stat === undefined) return [];
      looked += 1;
      return modeFinding(LABEL, path, stat) ?? [];
    });
  const own = judge([file]);
  // SQLite gives them the mode of the palace's file.
  const beside = own.length > 0 ? [] : judge([`${file}-wal`, `${file}-shm`]);
  const findings = [...judge(held), ...own, ...beside, ...judge(staged)];
  if (findings.length > 0 || looked === 0) return findings;
  return [ok(LABEL, `palace and staged files are yours alone (${looked} folders and files)`)];
}

/** What is wrong with a folder or file that holds content of the palace; undefined when nothing is. */
export function modeFinding(
  label: string,
  path: string,
  stat: Pick<Stats, 'mode' | 'uid'> & { isDirectory(): boolean },
  user = process.getuid?.(),
): Finding | undefined {
  const fault = modeFault(stat, user);
  if (fault === undefined) return undefined;
  if (fault === 'belongs-to-another') {
    const detail = `${path} belongs to user ${stat.uid}, not to you (${user})`;
    return warn(label, detail, `sudo chown -R "$USER" ${shellQuoted(path)}, or run as its owner`);
  }
  const shown = `${path} (mode ${octal(stat.mode)})`;
  const wanted = stat.isDirectory() ? PRIVATE_FOLDER : PRIVATE_FILE;
  const chmod = `chmod ${wanted.toString(8)} ${shellQuoted(path)}`;
  return fault === 'others-may-write'
    ? fail(label, `others may write ${shown}`, chmod)
    : warn(label, `others may read ${shown}`, chmod);
}

/** Wings, in which everything else lies. */
function foldersIn(folder: string): string[] {
  try {
    return readdirSync(folder, { withFileTypes: true })
      .filter((entry) => entry.isDirectory())
      .map((entry) => join(folder, entry.name));
  } catch {
    return [];
  }
}

function statOf(path: string): Stats | undefined {
  try {
    return lstatSync(path, { throwIfNoEntry: false });
  } catch {
    // The check of the palace says what may not be looked at.
    return undefined;
  }
}
