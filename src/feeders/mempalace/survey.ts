import { existsSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { UserError } from '../../core/errors.js';
import { groupDrawers } from './group.js';
import { explained, openTheirs } from './open.js';
import { theirDrawers } from './rows.js';

const FILE = 'chroma.sqlite3';
const LAYOUT = {
  embeddings: ['id', 'embedding_id', 'segment_id'],
  embedding_metadata: ['id', 'key', 'string_value'],
};

export type ChromaSurvey = ReturnType<typeof surveyChroma>;

/**
 * Opens a palace of MemPalace and lists its drawers at this time; their texts are read later. The result must be closed.
 *
 * @param given folder of the palace, or its file; absolute
 * @param wanted the collection. Default: MemPalace's own, or the only one that is not for closets
 * @throws UserError `not-found`, `unreadable`, `usage` for a collection that does not exist, or for several
 */
export function surveyChroma(given: string, wanted: string | undefined) {
  const file = statSync(given, { throwIfNoEntry: false })?.isDirectory() === true ? join(given, FILE) : given;
  if (!existsSync(file))
    throw new UserError('not-found', `there is no ${file}`, {
      hint: 'name the folder of a MemPalace palace, such as ~/.mempalace/palace of the Python program',
    });
  const database = openTheirs(file, 'a palace', LAYOUT);
  try {
    const { collection, drawers, dropped, unread } = theirDrawers(database, wanted);
    const reason = 'row that does not parse';
    const problems = unread.map((detail) => ({ origin: file, reason, detail, problem: true }));
    const groups = groupDrawers(drawers);
    const close = () => database.close();
    return { file, database, collection, groups, drawers: drawers.length, dropped, problems, close };
  } catch (error) {
    database.close();
    throw explained(error, file);
  }
}
