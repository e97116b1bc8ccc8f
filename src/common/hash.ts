import { createHash } from 'node:crypto';

/** MD5 of the UTF-8 text, as 32 hexadecimal digits: for names that others made of it. */
export function md5(text: string): string {
  return createHash('md5').update(text).digest('hex');
}

/** SHA-256 of the UTF-8 text or bytes, as 64 hexadecimal digits. */
export function sha256(data: string | Uint8Array): string {
  return createHash('sha256').update(data).digest('hex');
}
