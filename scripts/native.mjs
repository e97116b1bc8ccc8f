// Builds better-sqlite3 when it does not open a database: npm installs it without running its script (.npmrc).
// Node's own headers are used where they lie beside node; elsewhere node-gyp or prebuild-install fetch theirs.
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const probe = "new (require('better-sqlite3'))(':memory:').close()";

const opens = () => spawnSync(process.execPath, ['-e', probe], { cwd: root, stdio: 'ignore' }).status === 0;

export function ensureNative() {
  if (opens()) return;
  const prefix = dirname(dirname(process.execPath));
  const headers = existsSync(join(prefix, 'include', 'node', 'node_version.h'));
  const env = { ...process.env };
  if (headers && env.npm_config_nodedir === undefined) env.npm_config_nodedir = prefix;
  console.log('building better-sqlite3 (about a minute, once)');
  const npm = env.npm_execpath?.endsWith('.js') ? [process.execPath, env.npm_execpath] : ['npm'];
  const [command, ...first] = npm;
  const { status, stdout, stderr } = spawnSync(
    command,
    [...first, 'rebuild', 'better-sqlite3', '--ignore-scripts=false', '--loglevel=error'],
    { cwd: root, env, encoding: 'utf8' },
  );
  if (status === 0 && opens()) return;
  process.stderr.write(`${stdout ?? ''}${stderr ?? ''}\n`);
  console.error('better-sqlite3 does not build here. It needs python3, make and a C++ compiler');
  console.error('(Debian: apt install python3 make g++; macOS: xcode-select --install)');
  process.exit(1);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) ensureNative();
