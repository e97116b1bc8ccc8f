import { line } from '../../core/outside.js';
import type { ErasedBackup } from '../../maintenance/forget.js';
import type { Terminal } from '../../terminal/terminal.js';

/** Where a text was erased, and where it may remain. */
export interface Reach {
  backups: readonly ErasedBackup[];
  /** Damaged palaces that may also contain the text. */
  unknown: readonly string[];
  /** False if a reader prevented emptying the WAL, which still contains old pages. */
  logEmptied: boolean;
}

/**
 * Prints where the text was or would be erased; returns whether some of it may remain.
 *
 * @param cure how to get rid of a damaged palace
 */
export function sayReach(
  { backups, unknown, logEmptied }: Reach,
  dryRun: boolean,
  terminal: Terminal,
  cure = '--backups removes it',
): boolean {
  const [erased, removed] = dryRun ? ['would erase it from', 'would remove'] : ['erased it from', 'removed'];
  for (const { file, outcome } of backups)
    terminal.say(
      outcome === 'erased'
        ? `${erased} ${line(file)}`
        : `${removed} ${line(file)}, which contains the text or may contain it`,
    );
  for (const file of unknown)
    terminal.warn(`${line(file)} is a damaged palace that may still contain it: ${cure}`);
  if (!logEmptied)
    terminal.warn(
      'another process is reading the palace, so its write-ahead log still contains the text; run this again after that process ends',
    );
  return unknown.length > 0 || !logEmptied;
}
