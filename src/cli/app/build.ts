import { createHash } from 'node:crypto';
import { readdirSync, statSync } from 'node:fs';
import type { Build } from '../../broker/hello.js';
import { inPackage } from '../../platform/in-package.js';
import { VERSION } from './version.js';

const DIGITS = 8;

/** This build. Names of bundled files contain a hash of their content; without them the time of the build counts. */
export function thisBuild(): Build {
  const builtMs = Math.round(statSync(inPackage('dist/cli/start.cjs')).mtimeMs);
  const parts = partsOf().join('\0') || String(builtMs);
  const build = createHash('sha256').update(`${VERSION}\0${parts}`).digest('hex').slice(0, DIGITS);
  return { version: VERSION, build, builtMs };
}

function partsOf(): string[] {
  try {
    return readdirSync(inPackage('dist/parts')).sort();
  } catch {
    return [];
  }
}
