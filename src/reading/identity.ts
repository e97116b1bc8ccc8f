import { closeSync, constants, openSync, readSync } from 'node:fs';
import { isErrno, messageOf } from '../core/errors.js';

/** Far more than an identity needs. */
const IDENTITY_BYTES = 64 * 1024;

/** The beginning of the identity file; empty without a file, `trouble` when it cannot be read. */
export function readIdentity(path: string): { text?: string; trouble?: string } {
  try {
    // Without blocking on a pipe that has no writer.
    const file = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
    try {
      const bytes = Buffer.alloc(IDENTITY_BYTES);
      const length = readSync(file, bytes, 0, bytes.length, 0);
      return { text: bytes.toString('utf8', 0, length).replace(/^\ufeff/, '') };
    } finally {
      closeSync(file);
    }
  } catch (error) {
    return isErrno(error, 'ENOENT') || isErrno(error, 'ENOTDIR') ? {} : { trouble: messageOf(error) };
  }
}
