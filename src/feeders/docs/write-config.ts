import { linkSync, lstatSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { stringify } from 'yaml';
import { isErrno } from '../../core/errors.js';
import { temporaryNextTo } from '../../platform/atomic-write.js';
import { CONFIG_NAME } from './config.js';
import type { Room } from './wing-and-room.js';

const HEAD = `# Where mempalace files the documents of this project, and in which rooms. A document is in the first room
# whose name or keyword is a folder of its path, or its file name; else in the room of its first folder.
# by_folder: each folder in it is a room of its own. cold: searched only when asked for, if search.cold of
# the settings contains it. Other keys: include_patterns, exclude_patterns, priorities.
`;

/** The text of a `mempalace.yaml` for `readProjectConfig`. */
export function configText(wing: string, rooms: readonly Room[]): string {
  const listed = rooms.map(({ name, description, keywords, byFolder, cold }) => ({
    ...{ name, description },
    keywords: keywords.length === 0 ? undefined : keywords,
    ...{ by_folder: byFolder, cold },
  }));
  return HEAD + stringify({ wing, rooms: listed.length === 0 ? undefined : listed }, { lineWidth: 0 });
}

/** A broken link counts, too. */
export function configExists(root: string): boolean {
  return lstatSync(join(root, CONFIG_NAME), { throwIfNoEntry: false }) !== undefined;
}

/** Writes the `mempalace.yaml` of a project atomically. @returns false when there is one already */
export function writeProjectConfig(root: string, text: string): boolean {
  const target = join(root, CONFIG_NAME);
  const temporary = temporaryNextTo(join(root, `.${CONFIG_NAME}`));
  try {
    writeFileSync(temporary, text, { flag: 'wx' });
    linkSync(temporary, target);
    return true;
  } catch (error) {
    if (isErrno(error, 'EEXIST')) return false;
    // Some file systems (FAT, some network drives) do not support links. The write is then not atomic.
    if (!['EPERM', 'ENOTSUP', 'ENOSYS', 'EOPNOTSUPP'].some((code) => isErrno(error, code))) throw error;
    if (configExists(root)) return false;
    writeFileSync(target, text, { flag: 'wx' });
    return true;
  } finally {
    rmSync(temporary, { force: true });
  }
}
