import { UserError } from '../../core/errors.js';
import { type Fact, keptBackups, type SourceWords, someFact, someSource } from '../../store/index.js';

/** A kept backup that holds what was taken out of the palace, or may hold it. */
export interface UncleanBackup {
  file: string;
  /** `holds`, or `unreadable`: nobody can say what it holds. */
  state: 'holds' | 'unreadable';
}

/**
 * The kept backups that hold a source or a fact for which a test says so, and those that cannot be read.
 *
 * @param testFact absent: facts are not looked at
 *
 * @throws UserError when somebody else keeps one from being read
 */
export async function uncleanBackups(
  folder: string,
  test: (source: SourceWords) => Promise<boolean>,
  testFact?: (fact: Fact) => Promise<boolean>,
): Promise<UncleanBackup[]> {
  const found: UncleanBackup[] = [];
  for (const { file, damaged } of keptBackups(folder)) {
    const holds = damaged ? undefined : await holdsSome(file, test, testFact);
    if (holds !== false) found.push({ file, state: holds === undefined ? 'unreadable' : 'holds' });
  }
  return found;
}

async function holdsSome(
  file: string,
  test: (source: SourceWords) => Promise<boolean>,
  testFact: ((fact: Fact) => Promise<boolean>) | undefined,
): Promise<boolean | undefined> {
  try {
    if (testFact !== undefined && (await someFact(file, testFact))) return true;
    return await someSource(file, test);
  } catch (error) {
    if (error instanceof UserError && ['palace-damaged', 'palace-newer'].includes(error.code))
      return undefined;
    throw error;
  }
}
