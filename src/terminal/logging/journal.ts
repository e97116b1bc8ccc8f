import { fstatSync } from 'node:fs';

/** Priorities of syslog, as systemd reads them at the start of a line. */
const PRIORITY = { error: 3, warn: 4, info: 6 } as const;

const STDERR = 2;

/**
 * Whether stderr is the journal: systemd sets `JOURNAL_STREAM` to its device and inode. The numbers are compared,
 * since a program with another stderr inherits the variable.
 */
export function stderrIsJournal(env: NodeJS.ProcessEnv): boolean {
  const [, device, inode] = /^(\d+):(\d+)$/.exec(env.JOURNAL_STREAM ?? '') ?? [];
  if (device === undefined || inode === undefined) return false;
  try {
    const { dev, ino } = fstatSync(STDERR, { bigint: true });
    return dev === BigInt(device) && ino === BigInt(inode);
  } catch {
    return false;
  }
}

/** Prefixes each line with its priority, for `journalctl -p warning`. */
export function forJournal(level: keyof typeof PRIORITY, text: string): string {
  return text.replace(/^/gm, `<${PRIORITY[level]}>`);
}
