import { existsSync, readdirSync } from 'node:fs';
import { join, sep } from 'node:path';
import { sha256 } from './hash.js';

/** Digits of the hash that distinguishes names whose secrets are redacted. */
const DIGITS = 8;
const MARKED = /\[(?:PRIVATE|REDACTED:[a-z0-9-]+)\]/;
const HASH = new RegExp(`-([0-9a-f]{${DIGITS}})(?:\\.[A-Za-z0-9]{1,8})?$`);

/**
 * A redacted name (one segment of a path), made unique by 32 bits of a hash of the original. The hash does not reveal
 * a generated token, but an attacker can check a guess of a password that a person chose. `cleaned`: the name with
 * its marker.
 */
export function markedName(name: string, cleaned: string): string {
  const extension = /\.[A-Za-z0-9]{1,8}$/.exec(cleaned)?.[0] ?? '';
  const stem = cleaned.slice(0, cleaned.length - extension.length);
  return `${stem}-${sha256(name.normalize('NFC')).slice(0, DIGITS)}${extension}`.replaceAll('/', '_');
}

/** Whether a path or another text contains the marker of a redacted secret. */
export function isMarked(text: string): boolean {
  return MARKED.test(text);
}

/** The real path of a file whose recorded path is redacted, or undefined if there is none; other paths as they are. */
export function realPathOfMarked(path: string): string | undefined {
  if (!isMarked(path)) return path;
  let real = '/';
  for (const segment of path.split(sep).filter((each) => each !== '')) {
    const hash = isMarked(segment) ? HASH.exec(segment)?.[1] : undefined;
    const name = hash === undefined ? segment : nameWith(hash, real);
    if (name === undefined) return undefined;
    real = join(real, name);
  }
  return real;
}

/** Whether the file with this recorded path, redacted or not, exists. */
export function existsAs(path: string): boolean {
  const real = realPathOfMarked(path);
  return real !== undefined && existsSync(real);
}

function nameWith(hash: string, folder: string): string | undefined {
  try {
    return readdirSync(folder).find((name) => sha256(name.normalize('NFC')).startsWith(hash));
  } catch {
    return undefined;
  }
}
