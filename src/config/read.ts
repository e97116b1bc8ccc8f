import { closeSync, constants, fstatSync, openSync, readSync } from 'node:fs';
import { isErrno, messageOf, UserError } from '../core/errors.js';

/** Far more than a real file needs. */
const MOST_BYTES = 256 * 1024;

/**
 * The text of the configuration file; undefined when there is none. Links are followed, since configurations
 * are often kept elsewhere; what is no file (`/dev/null` apart) is not waited for.
 *
 * @throws UserError `config` when it is there and cannot be read
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
    const bytes = Buffer.alloc(Math.min(stat.size, MOST_BYTES) + 1);
    let length = 0;
    for (let read = -1; read !== 0 && length < bytes.length; length += read) {
      read = readSync(file, bytes, length, bytes.length - length, null);
    }
    if (length > MOST_BYTES) throw unreadable(path, 'it is larger than 256 KB');
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes.subarray(0, length));
  } catch (error) {
    if (error instanceof UserError) throw error;
    throw unreadable(path, error instanceof TypeError ? 'it is not UTF-8' : messageOf(error), error);
  } finally {
    closeSync(file);
  }
}

function unreadable(path: string, reason: string, cause?: unknown): UserError {
  return new UserError('config', `${path}: cannot be read: ${reason}`, {
    hint: 'MEMPALACE_CONFIG names another configuration file; MEMPALACE_CONFIG=/dev/null is none',
    cause,
  });
}
