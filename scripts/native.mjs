// Builds better-sqlite3 when it does not open a database: npm installs it without running its script (.npmrc).
// Node's own headers are used if they are next to node; otherwise its installer downloads them.
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync, rmdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = dirname(dirname(fileURLToPath(import.meta.url)));

function opensDatabase() {
  const probe = "new (require('better-sqlite3'))(':memory:').close()";
  return spawnSync(process.execPath, ['-e', probe], { cwd: root, stdio: 'ignore' }).status === 0;
}

/** The folder above `include/node`, if its headers are those of this node. */
function headersBesideNode() {
  const prefix = dirname(dirname(process.execPath));
  try {
    const header = readFileSync(join(prefix, 'include', 'node', 'node_version.h'), 'utf8');
    const part = (name) => new RegExp(`define NODE_${name}_VERSION (\\d+)`).exec(header)?.[1];
    return ['MAJOR', 'MINOR', 'PATCH'].map(part).join('.') === process.versions.node ? prefix : undefined;
  } catch {
    return undefined;
  }
}

function removeEmpty(folder) {
  try {
    rmdirSync(folder);
  } catch {
    // It is missing or not empty.
  }
}

/** Exits with 1 and the compiler's output if it cannot be built. */
export function ensureNative() {
  if (opensDatabase()) return;
  const headers = process.env.npm_config_nodedir ?? headersBesideNode();
  const env = { ...process.env, ...(headers === undefined ? {} : { npm_config_nodedir: headers }) };
  console.log('Building better-sqlite3, once: about a minute, several on a busy machine.');
  // Its makefile splits a path at a space, and makes a folder of the part before it.
  const stray = root.split(/\s/)[0];
  const wasThere = existsSync(stray);
  const { status, stdout, stderr } = spawnSync(
    'npm',
    ['rebuild', 'better-sqlite3', '--ignore-scripts=false', '--loglevel=error'],
    { cwd: root, env, encoding: 'utf8' },
  );
  if (!wasThere) removeEmpty(stray);
  if (status === 0 && opensDatabase()) return;
  process.stderr.write(`${stdout ?? ''}${stderr ?? ''}\nbetter-sqlite3 cannot be built here.\n`);
  console.error(
    'It needs make, g++ and python3 (Debian: apt install make g++ python3; macOS: xcode-select --install).',
  );
  console.error(
    'If npm holds install scripts back: npm rebuild better-sqlite3 --allow-scripts=better-sqlite3',
  );
  process.exit(1);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) ensureNative();
