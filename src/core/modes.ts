import type { Stats } from 'node:fs';

/** Modes of what holds content of the palace, whatever the umask. */
export const PRIVATE_FOLDER = 0o700;
export const PRIVATE_FILE = 0o600;

/** What keeps a folder or file from being one user's alone; the first that holds. */
export type ModeFault = 'others-may-write' | 'belongs-to-another' | 'others-may-read';

/** What is wrong with who may touch it; undefined when nothing is, and where there are no users (Windows). */
export function modeFault(
  stat: Pick<Stats, 'mode' | 'uid'>,
  user = process.getuid?.(),
): ModeFault | undefined {
  if (user === undefined) return undefined;
  if ((stat.mode & 0o022) !== 0) return 'others-may-write';
  if (stat.uid !== user) return 'belongs-to-another';
  return (stat.mode & 0o077) === 0 ? undefined : 'others-may-read';
}

/** As people and chmod write it. */
export function octal(mode: number): string {
  return (mode & 0o777).toString(8).padStart(4, '0');
}
