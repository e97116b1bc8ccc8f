import { readFileSync } from 'node:fs';

/** The version in package.json. (No schema here: `--help` must not load a validator.) */
export const VERSION: string = readVersion();

function readVersion(): string {
  const text = readFileSync(new URL('../../package.json', import.meta.url), 'utf8');
  const version = /"version":\s*"([^"]+)"/.exec(text)?.[1];
  if (version === undefined) throw new Error('package.json has no version');
  return version;
}
