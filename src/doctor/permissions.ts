import { lstatSync, readdirSync, type Stats } from 'node:fs';
import { dirname, join } from 'node:path';
import type { DoctorContext } from './context.js';
import { shellQuoted } from './cure.js';
import { type Finding, fail, ok, warn } from './finding.js';

const STAGING = ['mempalace-docs', 'mempalace-session'];
const FOLDER = 0o700;
const FILE = 0o600;

/** Owner and mode of the palace, what SQLite keeps beside it, and the folders of staged files. */
export function checkPermissions({ palace, folders }: DoctorContext): Finding[] {
  const file = join(palace, 'palace.sqlite3');
  const label = 'permissions';
  const held = [dirname(palace), palace, file, `${file}-wal`, `${file}-shm`];
  const staged = STAGING.map((name) => join(folders.cache, name)).flatMap((root) => [
    root,
    ...foldersIn(root),
  ]);
  // The folder above the palace is ours only under the default name.
  const looked = [...(held[0]?.endsWith('.mempalace') ? held : held.slice(1)), ...staged];
  const found = looked.flatMap((path) => {
    const stat = statOf(path);
    return stat === undefined ? [] : { path, stat };
  });
  const findings = found.flatMap(({ path, stat }) => modeFinding(label, path, stat) ?? []);
  if (findings.length > 0 || found.length === 0) return findings;
  return [ok(label, `palace and staged files are yours alone (${found.length} folders and files)`)];
}

/** What is wrong with a folder or file that holds content of the palace; undefined when nothing is. */
export function modeFinding(
  label: string,
  path: string,
  stat: Pick<Stats, 'mode' | 'uid'> & { isDirectory(): boolean },
  user = process.getuid?.(),
): Finding | undefined {
  if (user === undefined) return undefined;
  const wanted = stat.isDirectory() ? FOLDER : FILE;
  const mode = stat.mode & 0o777;
  const shown = `${path} (mode ${mode.toString(8).padStart(4, '0')})`;
  const chmod = `chmod ${wanted.toString(8)} ${shellQuoted(path)}`;
  if ((mode & 0o022) !== 0) return fail(label, `others may write ${shown}`, chmod);
  if (stat.uid !== user) {
    const detail = `${path} belongs to user ${stat.uid}, not to you (${user})`;
    return warn(label, detail, `sudo chown -R "$USER" ${shellQuoted(path)}, or run as its owner`);
  }
  if ((mode & 0o077) !== 0) return warn(label, `others may read ${shown}`, chmod);
  return undefined;
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
