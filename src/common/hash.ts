import { createHash } from 'node:crypto';

/** SHA-256 of the UTF-8 text or bytes, as 64 hexadecimal digits. */
export function sha256(data: string | Uint8Array): string {
  return createHash('sha256').update(data).digest('hex');
}
