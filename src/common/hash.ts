import { createRequire } from 'node:module';

const require = createRequire(import.meta.url);

/** Loaded when it is needed: a hook that hashes nothing is spared a twentieth of its time. */
const crypto = (): typeof import('node:crypto') => require('node:crypto');

/** MD5 of the UTF-8 text, as 32 hexadecimal digits: for names that others made of it. */
export function md5(text: string): string {
  return crypto().createHash('md5').update(text).digest('hex');
}

/** SHA-256 of the UTF-8 text or bytes, as 64 hexadecimal digits. */
export function sha256(data: string | Uint8Array): string {
  return crypto().createHash('sha256').update(data).digest('hex');
}

/** So many random bytes as hexadecimal digits, two for each. */
export function randomHex(bytes: number): string {
  return crypto().randomBytes(bytes).toString('hex');
}
