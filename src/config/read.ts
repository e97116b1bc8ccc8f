import { closeSync, constants, fstatSync, openSync, readFileSync } from 'node:fs';
import { isErrno, messageOf, UserError } from '../core/errors.js';

/** Far more than a real file needs. */
const MOST_BYTES = 256 * 1024;

/**
 * The text of a configuration file; undefined when it does not exist. Links are followed, since configurations are often
 * stored elsewhere. Does not wait for a pipe. A device such as `/dev/null` counts as empty.
 *
 * @throws UserError `config` when it exists and cannot be read
 */
export function readConfigText(path: string): string | undefined {
  let file: number;
  try {
    file = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
  } catch (error) {
    if (isErrno(error, 'ENOENT') || isErrno(error, 'ENOTDIR')) return undefined;
    throw unreadable(path, messageOf(error), error);
  }
  try {
    const stat = fstatSync(file);
    if (stat.isDirectory()) throw unreadable(path, 'it is a folder');
    if (!stat.isFile() && !stat.isCharacterDevice()) throw unreadable(path, 'it is not a file');
    if (stat.size > MOST_BYTES) throw unreadable(path, 'it is larger than 256 KB');
    const bytes = stat.isFile() ? readFileSync(file) : undefined;
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch (error) {
    if (error instanceof UserError) throw error;
    throw unreadable(path, error instanceof TypeError ? 'it is not UTF-8' : messageOf(error), error);
  } finally {
    closeSync(file);
  }
}

function unreadable(path: string, reason: string, cause?: unknown): UserError {
  return new UserError('config', `${path}: cannot be read: ${reason}`, {
    hint: 'MEMPALACE_CONFIG names another configuration file; MEMPALACE_CONFIG=/dev/null means none',
    cause,
  });
}
