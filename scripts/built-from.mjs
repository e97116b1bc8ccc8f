// The sources of dist/, recorded in it by the build: install.sh builds again if the sources or dist/
// have changed. As a program, exits with 0 if dist/ is current, else with 1.

import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { commitOf } from './origin.mjs';

const ROOT = dirname(dirname(fileURLToPath(import.meta.url)));
const STAMP = '.built-from';

const filesBelow = (folder) =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name !== STAMP)
    .map((entry) => join(entry.parentPath, entry.name))
    .sort();

function hashOf(root, files) {
  const hash = createHash('sha256');
  for (const file of files)
    hash
      .update(`${file.slice(root.length)}\0`)
      .update(readFileSync(file))
      .update('\0');
  return hash.digest('hex');
}

/** The sources, and the commit for --version. */
function sources() {
  const files = ['src', 'scripts'].flatMap((folder) => filesBelow(join(ROOT, folder)));
  const single = ['package.json', 'tsconfig.json'].map((name) => join(ROOT, name));
  return `${hashOf(ROOT, [...single, ...files])} ${commitOf(ROOT)}`.trim();
}

const stampOf = (dist) => `${sources()}\n${hashOf(dist, filesBelow(dist))}\n`;

/** Must be called last: it includes every file of the build. */
export function noteSources(dist) {
  writeFileSync(join(dist, STAMP), stampOf(dist));
}

function isCurrent(dist) {
  try {
    return readFileSync(join(dist, STAMP), 'utf8') === stampOf(dist);
  } catch {
    return false;
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url))
  process.exitCode = isCurrent(join(ROOT, 'dist')) ? 0 : 1;
