import { chmodSync, type Stats, statSync } from 'node:fs';
import { UserError } from '../../core/errors.js';
import { modeFault, octal, PRIVATE_FILE, PRIVATE_FOLDER } from '../../core/modes.js';
import { shellQuoted } from '../../platform/shell-quoted.js';
import { palaceFile } from './palace-file.js';

/** A problem of a palace that can still be used. */
export interface Warning {
  text: string;
  hint: string;
}

const ROOT = 0;

/**
 * Refuses a palace that other users can write: their content would be taken for the user's memory. Files of root are
 * accepted, so that volumes of containers work; `ownershipWarnings` reports them.
 *
 * @throws UserError `failed`, with the command that corrects it
 */
export function refuseForeignHands(folder: string, user = process.getuid?.()): void {
  // A folder without a palace contains nothing to trust.
  if (statOf(palaceFile(folder)) === undefined) return;
  for (const { path, stat, mode } of privatePaths(folder)) {
    if (modeFault(stat, user) !== 'others-may-write') continue;
    if (stat.uid === ROOT && user !== ROOT) continue;
    throw new UserError('failed', `others may write ${path} (mode ${octal(stat.mode)}): it is not trusted`, {
      hint: `chmod ${mode.toString(8)} ${shellQuoted(path)}, then see with mempalace doctor that it is still yours`,
    });
  }
}

export function makePrivate(folder: string, user = process.getuid?.()): void {
  for (const { path, stat, mode } of privatePaths(folder)) {
    if ((stat.mode & 0o777) !== mode && stat.uid === user) chmodSync(path, mode);
  }
}

/** Reports files of another user, whose modes cannot be changed from here. */
export function ownershipWarnings(folder: string, user = process.getuid?.()): Warning[] {
  const [first] = privatePaths(folder).filter(({ stat }) => stat.uid !== user);
  if (user === undefined || first === undefined) return [];
  const { path, stat } = first;
  const open = modeFault(stat, user) === 'others-may-write' ? ', and others may write it' : '';
  return [
    {
      text: `${path} belongs to user ${stat.uid}, not to you (${user})${open}`,
      hint: `sudo chown -R "$USER" ${shellQuoted(folder)}, or run as its owner`,
    },
  ];
}

/** The folder and the palace's file; SQLite gives the files next to it the same mode. */
function privatePaths(folder: string): { path: string; stat: Stats; mode: number }[] {
  return [
    { path: folder, mode: PRIVATE_FOLDER },
    { path: palaceFile(folder), mode: PRIVATE_FILE },
  ].flatMap(({ path, mode }) => {
    const stat = statOf(path);
    return stat === undefined ? [] : [{ path, mode, stat }];
  });
}

function statOf(path: string): Stats | undefined {
  try {
    return statSync(path, { throwIfNoEntry: false });
  } catch {
    // Opening it will report the error.
    return undefined;
  }
}
