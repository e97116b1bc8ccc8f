import { readFileSync } from 'node:fs';
import { inPackage } from '../../platform/in-package.js';

/** The version in package.json. It is read without a schema, since `--help` must not load a validator. */
export const VERSION: string = readVersion();

/** The commit that this was built from; null if the build had no git. */
export const COMMIT: string | null = readCommit();

export const VERSION_TEXT = COMMIT === null ? VERSION : `${VERSION} (${COMMIT})`;

function readVersion(): string {
  const text = readFileSync(inPackage('package.json'), 'utf8');
  const version = /"version":\s*"([^"]+)"/.exec(text)?.[1];
  if (version === undefined) throw new Error('package.json has no version');
  return version;
}

function readCommit(): string | null {
  try {
    return readFileSync(inPackage('dist/commit'), 'utf8').trim() || null;
  } catch {
    return null;
  }
}
