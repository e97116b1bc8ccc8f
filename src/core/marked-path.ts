import { existsSync, readdirSync } from 'node:fs';
import { join, sep } from 'node:path';
import { sha256 } from './hash.js';

/** Digits of the hash that tells apart names whose secrets have been taken out. */
const DIGITS = 8;
const MARKED = /\[(?:PRIVATE|REDACTED:[a-z0-9-]+)\]/;
const HASH = new RegExp(`-([0-9a-f]{${DIGITS}})(?:\\.[A-Za-z0-9]{1,8})?$`);

/**
 * A name without its secret, told apart from other such names by a hash of the original: 32 bits, which say nothing of
 * a token that a machine made. An attacker with a guess of a password that a person chose can check it.
 *
 * @param name one segment of a path
 * @param cleaned the same with a marker in it
 */
export function markedName(name: string, cleaned: string): string {
  const extension = /\.[A-Za-z0-9]{1,8}$/.exec(cleaned)?.[0] ?? '';
  const stem = cleaned.slice(0, cleaned.length - extension.length);
  return `${stem}-${sha256(name.normalize('NFC')).slice(0, DIGITS)}${extension}`.replaceAll('/', '_');
}

/** Whether a path had a secret taken out of it. */
export function isMarked(path: string): boolean {
  return MARKED.test(path);
}

/**
 * The path of a file or folder that is recorded without the secrets in its name; the same for any other path.
 *
 * @returns undefined when there is nothing of that name
 */
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

/** Whether what is recorded under this path, with secrets in its names or without, is there. */
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
