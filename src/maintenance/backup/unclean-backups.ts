import { UserError } from '../../core/errors.js';
import { containsSome, keptBackups } from '../../store/index.js';

/** A kept backup that contains what was taken out of the palace, or may contain it. */
export interface UncleanBackup {
  file: string;
  /** `unreadable`: nobody can say what it contains. */
  state: 'holds' | 'unreadable';
}

/**
 * The kept backups that contain a source or a fact for which a test says so, and those that cannot be read.
 *
 * @param testFact undefined: facts are not looked at
 * @throws UserError when another program keeps one from being read
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
