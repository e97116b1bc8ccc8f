import { UserError } from '../../core/errors.js';
import { containsSome, keptBackups } from '../../store/index.js';

/** A kept backup that contains removed text, or may contain it. */
export interface UncleanBackup {
  file: string;
  /** `unreadable`: its content is not known. */
  state: 'holds' | 'unreadable';
}

/**
 * The kept backups that contain a source or a fact that a test accepts, and those that cannot be read.
 *
 * @param testFact undefined: facts are not tested
 * @throws UserError when another program locks a backup
 */
export async function uncleanBackups(
  folder: string,
  test: Parameters<typeof containsSome>[1],
  testFact: Parameters<typeof containsSome>[2],
): Promise<UncleanBackup[]> {
  const found: UncleanBackup[] = [];
  for (const { file, damaged } of keptBackups(folder)) {
    try {
      if (damaged) found.push({ file, state: 'unreadable' });
      else if (await containsSome(file, test, testFact)) found.push({ file, state: 'holds' });
    } catch (error) {
      if (!(error instanceof UserError) || !['palace-damaged', 'palace-newer'].includes(error.code))
        throw error;
      found.push({ file, state: 'unreadable' });
    }
  }
  return found;
}
