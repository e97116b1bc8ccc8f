import type { Stats } from 'node:fs';

/** Modes of folders and files with content of the palace, regardless of the umask. */
export const PRIVATE_FOLDER = 0o700;
export const PRIVATE_FILE = 0o600;

export type ModeFault = 'others-may-write' | 'belongs-to-another' | 'others-may-read';

/** Why a folder or file is not private to the user; undefined when it is, and on Windows. */
export function modeFault(
  stat: Pick<Stats, 'mode' | 'uid'>,
  user = process.getuid?.(),
): ModeFault | undefined {
  if (user === undefined) return undefined;
  if ((stat.mode & 0o022) !== 0) return 'others-may-write';
  if (stat.uid !== user) return 'belongs-to-another';
  return (stat.mode & 0o077) === 0 ? undefined : 'others-may-read';
}

export function octal(mode: number): string {
  return (mode & 0o777).toString(8).padStart(4, '0');
}
