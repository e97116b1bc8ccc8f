import { UserError } from '../common/errors.js';
import { keptBackups, type SourceWords, someSource } from '../store/index.js';

/** A kept backup that holds what was taken out of the palace, or may hold it. */
export interface UncleanBackup {
  file: string;
  /** `holds`, or `unreadable`: nobody can say what it holds. */
  state: 'holds' | 'unreadable';
}

/**
 * The kept backups that hold a source for which `test` says so, and those that cannot be read.
 *
 * @throws UserError when somebody else keeps one from being read
 */
export async function uncleanBackups(
  folder: string,
  test: (source: SourceWords) => Promise<boolean>,
): Promise<UncleanBackup[]> {
  const found: UncleanBackup[] = [];
  for (const { file, damaged } of keptBackups(folder)) {
    const holds = damaged ? undefined : await holdsSome(file, test);
    if (holds !== false) found.push({ file, state: holds === undefined ? 'unreadable' : 'holds' });
  }
  return found;
}

async function holdsSome(
  file: string,
  test: (source: SourceWords) => Promise<boolean>,
): Promise<boolean | undefined> {
  try {
    return await someSource(file, test);
  } catch (error) {
    if (error instanceof UserError && ['palace-damaged', 'palace-newer'].includes(error.code))
      return undefined;
    throw error;
  }
}
