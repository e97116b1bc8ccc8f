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

/**
 * FNV-1a of the UTF-8 text, 64 bits as 16 hexadecimal digits (draft-eastlake-fnv): for names where nobody gains by two
 * that are equal, and where loading Node's crypto would be a sixth of what a hook takes above bare node.
 */
export function fnv1a(text: string): string {
  let hash = 0xcbf29ce484222325n;
  for (const byte of Buffer.from(text)) hash = BigInt.asUintN(64, (hash ^ BigInt(byte)) * 0x100000001b3n);
  return hash.toString(16).padStart(16, '0');
}
