import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  copyFileSync,
  cpSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { removeFolder } from '../support/cleanups.js';

const REAL = fileURLToPath(new URL('../../', import.meta.url));
const BINS = ['mempalace', 'mempalace-docs', 'mempalace-mcp', 'mempalace-session'];
/** The tools that install.sh calls besides node and npm; every Unix has them. */
const TOOLS = [
  ...['sh', 'cat', 'dirname', 'find', 'grep', 'id', 'ln', 'ls', 'mkdir', 'mktemp', 'mv', 'readlink', 'rm'],
  ...['rmdir', 'sed', 'sleep', 'sort', 'tail', 'tr', 'uname'],
];

export function script(path: string, text: string) {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
  chmodSync(path, 0o755);
}

/** A lockfile with a package that the npm below installs, and one for another system. */
export const LOCKFILE =
  '{"packages":{"":{},"node_modules/zod":{"version":"1.0.0"},"node_modules/else":{"version":"1.0.0","optional":true}}}\n';
/** A different lockfile. */
export const CHANGED_LOCKFILE = LOCKFILE.replace('1.0.0', '2.0.0');

/** An npm that installs native modules that load, and records its calls. */
const NPM = `#!/bin/sh
case $1 in --version) echo 11.0.0; exit 0 ;; esac
echo "$*" >> "$NPM_CALLS"
case $1 in rebuild) echo "nodedir=$npm_config_nodedir" >> "$NPM_CALLS.env" ;; esac
module() { mkdir -p "node_modules/$1"; printf '%s' "$2" > "node_modules/$1/index.js"; }
built='module.exports = class { close() {} };'
case $1 in
ci)
  rm -rf node_modules
  if [ -n "$NPM_CI_SAYS" ]; then echo "$NPM_CI_SAYS" >&2; exit 7; fi
  mkdir -p node_modules/zod
  echo '{}' > node_modules/zod/package.json
  sed 's/,"node_modules.else":[^}]*}//' package-lock.json > node_modules/.package-lock.json
  module sqlite-vec 'exports.load = () => {};'
  module onnxruntime-node "$ONNX_INDEX"
  if [ -n "$NPM_SKIPS_SCRIPTS" ]; then built='throw new Error("not built");'; fi
  module better-sqlite3 "$built"
  ;;
rebuild) if [ "$NPM_SKIPS_SCRIPTS" != forever ]; then module better-sqlite3 "$built"; fi ;;
esac
`;

/** A node that reports every package and the build as intact, for tests of later steps. */
const QUICK_NODE = `#!/bin/sh
case $* in
*process.versions.node) echo 20.0.0 ;;
*execPath*) echo /opt/node/bin/node ;;
esac
`;

/** Builds one manual and one completion; the build is current while the file `sources` is unchanged. */
const BUILD = `
import { appendFileSync, cpSync, mkdirSync, writeFileSync } from 'node:fs';
appendFileSync(process.env.NPM_CALLS, 'build\\n');
for (const path of ['man/man1/mempalace.1', 'fish/vendor_completions.d/mempalace.fish']) {
  mkdirSync(\`dist/share/\${path.replace(/\\/[^/]*$/, '')}\`, { recursive: true });
  writeFileSync(\`dist/share/\${path}\`, path);
}
cpSync('sources', 'dist/sources');
`;
const BUILT_FROM = `
import { existsSync, readFileSync } from 'node:fs';
const text = (path) => (existsSync(path) ? readFileSync(path, 'utf8') : path);
process.exitCode = text('sources') === text('dist/sources') ? 0 : 1;
`;

/**
 * Records its arguments; a dry run answers like the real one without opencode. As `mempalace` it has a
 * doctor and a schedule, and a status with a configurable failure.
 */
const PROGRAM = `#!/bin/sh
case $0$* in
*mempalace--help) printf '%s\\n' "\${HELP-  doctor}"; exit ;;
esac
echo "\${0##*/}\${1:+ $*}" >> "$FEEDER_CALLS"
case $* in
*--dry-run*)
  if [ -n "$NO_OPENCODE" ]; then
    echo '{"error":{"code":"not-found","message":"no opencode database found"}}' >&2
    exit 1
  fi
  exit 0
  ;;
esac
case "\${0##*/} $*" in
*-docs*) exit "\${DOCS_EXIT:-0}" ;;
*-session*) exit "\${SESSION_EXIT:-0}" ;;
*setup*) printf %s "$SETUP_SAYS" ;;
*doctor*) echo "fail: the doctor's word" >&2; exit "\${DOCTOR_EXIT:-0}" ;;
*schedule*) exit "\${SCHEDULE_EXIT:-0}" ;;
*status*) printf %s "$STATUS_SAYS" >&2; exit "\${STATUS_EXIT:-0}" ;;
esac
`;

export const has = (tool: string) => spawnSync('sh', ['-c', `command -v ${tool}`]).status === 0;
export const runTool = (
  tool: string,
  args: string[],
  options: { cwd?: string; env?: NodeJS.ProcessEnv } = {},
) => spawnSync(tool, args, { encoding: 'utf8', ...options });

export const skillOf = ({ home }: { home: string }) =>
  join(home, '.agents/skills/opencode-mempalace-bridge/SKILL.md');

/** Paths below a folder, each with its kind and content. */
export function treeOf(folder: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .sort()
    .map((name) => {
      const path = join(folder, name);
      const stat = lstatSync(path);
      if (stat.isSymbolicLink()) return `${name} -> ${readlinkSync(path)}`;
      return stat.isDirectory() ? `${name}/` : `${name}: ${readFileSync(path, 'utf8')}`;
    });
}

/**
 * A copy of install.sh in its own checkout (a path with spaces), with stubs for npm and the feeders, an
 * empty HOME, and a PATH with only node and the tools that install.sh calls.
 */
export function createCheckout(name = 'a checkout') {
  const base = mkdtempSync(join(tmpdir(), 'install '));
  const root = join(base, name);
  const home = join(base, 'home of ada');
  const tools = join(base, 'tools');
  const calls = join(base, 'npm-calls');
  const feeders = join(base, 'feeder-calls');
  for (const folder of [root, home, tools]) mkdirSync(folder, { recursive: true });
  copyFileSync(join(REAL, 'install.sh'), join(root, 'install.sh'));
  cpSync(join(REAL, 'scripts/install'), join(root, 'scripts/install'), { recursive: true });
  copyFileSync(join(REAL, 'scripts/native.mjs'), join(root, 'scripts/native.mjs'));
  writeFileSync(join(root, 'scripts/build.mjs'), BUILD);
  writeFileSync(join(root, 'scripts/built-from.mjs'), BUILT_FROM);
  writeFileSync(join(root, 'sources'), '1');
  writeFileSync(join(root, 'SKILL.md'), '# Skill\n');
  chmodSync(join(root, 'install.sh'), 0o755);
  writeFileSync(join(root, 'package.json'), '{\n  "name": "mempalace-toolkit"\n}\n');
  writeFileSync(join(root, 'package-lock.json'), LOCKFILE);
  for (const bin of BINS) script(join(root, 'bin', bin), PROGRAM);
  script(join(tools, 'npm'), NPM);
  symlinkSync(process.execPath, join(tools, 'node'));
  for (const tool of TOOLS) {
    const found = spawnSync('sh', ['-c', `command -v ${tool}`], { encoding: 'utf8' }).stdout.trim();
    symlinkSync(found, join(tools, tool));
  }
  const lines = (path: string) => (existsSync(path) ? readFileSync(path, 'utf8').trimEnd().split('\n') : []);

  const replace = (tool: string, text: string) => {
    rmSync(join(tools, tool), { force: true });
    script(join(tools, tool), text);
  };

  return {
    base,
    root,
    home,
    tools,
    bin: join(home, '.local', 'bin'),
    /** Arguments of each npm call since the last `forget`. */
    npmCalls: () => lines(calls),
    npmEnvironment: () => lines(`${calls}.env`),
    /** The programs of the toolkit that were started, with arguments. */
    calls: () => lines(feeders),
    feederCalls: () => lines(feeders).filter((call) => /^mempalace-/.test(call)),
    forget: () => {
      for (const path of [calls, `${calls}.env`, feeders]) rmSync(path, { force: true });
    },
    /** Runs install.sh; `undefined` removes a variable from its environment. */
    run: (args: string[] = [], env: Record<string, string | undefined> = {}, cwd = base) => {
      const full = {
        HOME: home,
        PATH: tools,
        SHELL: '/bin/bash',
        NPM_CALLS: calls,
        FEEDER_CALLS: feeders,
        ...env,
      };
      const run = spawnSync(join(root, 'install.sh'), args, { cwd, env: full, encoding: 'utf8' });
      return { code: run.status, stdout: run.stdout, stderr: run.stderr };
    },
    /** Replaces a tool with another program. */
    replace,
    quickNode: () => replace('node', QUICK_NODE),
    /** Names, kinds and contents of everything below HOME. */
    tree: () => treeOf(home),
    /** The same for everything, including the checkout. */
    snapshot: () => [...treeOf(root), ...treeOf(home)],
    remove: () => removeFolder(base),
  };
}
