import { existsSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { isErrno, UserError } from '../../core/errors.js';

/**
 * Writes a private file that does not exist yet.
 *
 * @param file absolute
 * @throws UserError `failed` when it exists, or its folder does not
 */
export function writeNewFile(file: string, text: string): void {
  if (!existsSync(dirname(file))) throw new UserError('failed', `there is no folder ${dirname(file)}`);
  try {
    writeFileSync(file, text, { mode: 0o600, flag: 'wx' });
  } catch (error) {
    if (!isErrno(error, 'EEXIST')) throw error;
    throw new UserError('failed', `${file} exists already`, { hint: 'name another file' });
  }
}
