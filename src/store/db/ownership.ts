import { chmodSync, type Stats, statSync } from 'node:fs';
import { UserError } from '../../core/errors.js';
import { modeFault, octal, PRIVATE_FILE, PRIVATE_FOLDER } from '../../core/modes.js';
import { shellQuoted } from '../../platform/shell-quoted.js';
import { palaceFile } from './palace-file.js';

/** Something about a palace that its user should know, and that does not keep anybody from using it. */
export interface Warning {
  text: string;
  /** What to do about it. */
  hint: string;
}

const ROOT = 0;

/**
 * Refuses a palace that others can write: what they put there would be taken for the user's own memory. What belongs
 * to root and not to the user passes, so that volumes of containers work; `ownershipWarnings` names it.
 *
 * @throws UserError `failed`, with the command that cures it
 */
export function refuseForeignHands(folder: string, user = process.getuid?.()): void {
  // A folder that holds no palace yet has nothing in it that anybody could have planted.
  if (statOf(palaceFile(folder)) === undefined) return;
  for (const { path, stat, mode } of held(folder)) {
    if (modeFault(stat, user) !== 'others-may-write') continue;
    if (stat.uid === ROOT && user !== ROOT) continue;
    throw new UserError('failed', `others may write ${path} (mode ${octal(stat.mode)}): it is not trusted`, {
      hint: `chmod ${mode.toString(8)} ${shellQuoted(path)}, then see with mempalace doctor that it is still yours`,
    });
  }
}

/** Sets the modes of what is the user's own. */
export function makePrivate(folder: string, user = process.getuid?.()): void {
  for (const { path, stat, mode } of held(folder)) {
    if ((stat.mode & 0o777) !== mode && stat.uid === user) chmodSync(path, mode);
  }
}

/** What is somebody else's, or open to others, and cannot be changed from here. */
export function ownershipWarnings(folder: string, user = process.getuid?.()): Warning[] {
  const [first] = held(folder).filter(({ stat }) => stat.uid !== user);
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

/** The folder and the palace's file; SQLite gives the files beside it the mode of that. */
function held(folder: string): { path: string; stat: Stats; mode: number }[] {
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
    // Opening it says what keeps it from being looked at.
    return undefined;
  }
}
