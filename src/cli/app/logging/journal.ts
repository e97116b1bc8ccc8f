import { fstatSync } from 'node:fs';

/** Priorities of syslog, as systemd reads them at the start of a line. */
const PRIORITY = { error: 3, warn: 4, info: 6 } as const;

const STDERR = 2;

/**
 * Is stderr the journal? systemd says so with `JOURNAL_STREAM`, device and inode of what it connected; a
 * program that was started with another stderr inherits the variable all the same.
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

/** The text with its priority in front of each line, so that `journalctl -p warning` finds it. */
export function forJournal(level: keyof typeof PRIORITY, text: string): string {
  return text.replace(/^/gm, `<${PRIORITY[level]}>`);
}
