import { closeSync, constants, fstatSync, openSync, readSync, realpathSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';

/** Larger outputs stay cut. */
const MOST_BYTES = 1024 * 1024;
const FOLDER = 'tool-output';

/**
 * The whole output of a tool that opencode cut. opencode stores it in a file below its data folder, and removes it after
 * some days. Only a regular file in that folder is read, whatever the record names.
 *
 * @param dataFolder opencode's
 * @param recorded the path in the record; its folder may be that of another machine
 * @returns undefined if there is no such file, or if it is larger than 1 MB
 */
export function wholeOutput(dataFolder: string, recorded: string): string | undefined {
  const name = basename(recorded);
  if (name === '' || name === '.' || name === '..') return undefined;
  let file: number | undefined;
  try {
    const folder = realpathSync(join(dataFolder, FOLDER));
    // A link would lead to a folder of something else.
    if (dirname(folder) !== realpathSync(dataFolder) || basename(folder) !== FOLDER) return undefined;
    file = openSync(join(folder, name), constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
    const stat = fstatSync(file);
    if (!stat.isFile() || stat.size > MOST_BYTES) return undefined;
    const bytes = Buffer.alloc(stat.size);
    return bytes.toString('utf8', 0, readSync(file, bytes));
  } catch {
    return undefined;
  } finally {
    if (file !== undefined) closeSync(file);
  }
}
