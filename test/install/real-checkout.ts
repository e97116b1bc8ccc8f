import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { removeFolder } from '../support/cleanups.js';
import { script, treeOf } from './checkout.js';

const REAL = fileURLToPath(new URL('../../', import.meta.url)).replace(/\/$/, '');

/** Files of a checkout that git ignores. */
const OWN = new Set(['.git', 'node_modules', 'dist', 'dist.new', '.node-path', '.made-folders', 'coverage']);

/** npm without a network: `ci` and `rebuild` use the packages installed here. */
const NPM = `#!/bin/sh
case $1 in --version) echo 11.0.0; exit 0 ;; esac
echo "$1" >> "$NPM_CALLS"
case $1 in
ci)
  rm -rf node_modules
  if [ -n "$INTERRUPTED" ]; then
    mkdir -p node_modules/zod
    kill -TERM $PPID
    exit 143
  fi
  cp -al "$PACKAGES" node_modules 2>/dev/null || { rm -rf node_modules; cp -R "$PACKAGES" node_modules; }
  rm -f node_modules/.mempalace-install
  ;;
rebuild)
  file=node_modules/better-sqlite3/build/Release/better_sqlite3.node
  rm -f "$file"
  mkdir -p "\${file%/*}"
  cp "$PACKAGES/\${file#*/}" "$file"
  ;;
*) exit 1 ;;
esac
`;

/** Tools that would act outside the temporary HOME. */
const BEYOND = { crontab: '[ "$1" != -l ]', systemctl: 'true', launchctl: 'true' };

/**
 * A separate checkout with everything real except npm, and machines to install it on. Its packages are hard links
 * to this checkout's, if the system supports them.
 */
export function createRealCheckout() {
  // On a disk, as this checkout: hard links do not cross file systems.
  const base = realpathSync(
    mkdtempSync(join(existsSync('/var/tmp') ? '/var/tmp' : tmpdir(), 'real install ')),
  );
  const tools = join(base, 'tools');
  const root = join(base, 'check out');
  const calls = join(base, 'npm-calls');
  script(join(tools, 'npm'), NPM);
  for (const [tool, line] of Object.entries(BEYOND)) script(join(tools, tool), `#!/bin/sh\n${line}\n`);

  const fill = (folder: string) => {
    mkdirSync(folder, { recursive: true });
    for (const name of readdirSync(REAL)) {
      if (!OWN.has(name)) cpSync(join(REAL, name), join(folder, name), { recursive: true });
    }
  };
  const env = (home: string): Record<string, string> => ({
    HOME: home,
    PATH: `${tools}:${process.env.PATH}`,
    SHELL: '/bin/bash',
    TMPDIR: tmpdir(),
    PACKAGES: join(REAL, 'node_modules'),
    NPM_CALLS: calls,
  });
  const start = (command: string, args: string[], environment: Record<string, string>, cwd = base) => {
    const run = spawnSync(command, args, { cwd, env: environment, encoding: 'utf8' });
    return { code: run.status, stdout: run.stdout, stderr: run.stderr, all: `${run.stdout}${run.stderr}` };
  };
  fill(root);

  return {
    base,
    root,
    fill,
    /** A new HOME, and actions in it. */
    machine: (name: string) => {
      const home = join(base, name);
      mkdirSync(home, { recursive: true });
      return {
        home,
        install: (args: string[] = [], more: Record<string, string> = {}, from = root) =>
          start(join(from, 'install.sh'), args, { ...env(home), ...more }),
        /** As a timer starts a program: by the absolute path of its link, with an almost empty environment. */
        program: (program: string, args: string[]) =>
          start(join(home, '.local/bin', program), args, { HOME: home, PATH: '/usr/bin:/bin' }),
        tree: () => treeOf(home),
      };
    },
    /** npm's commands since the last call. */
    npmCalls: () => {
      const names = existsSync(calls) ? readFileSync(calls, 'utf8').trim().split('\n') : [];
      rmSync(calls, { force: true });
      return names;
    },
    /** Puts the packages of this checkout into another, as its install.sh does. */
    givePackages: (folder: string) => {
      const modules = join(folder, 'node_modules');
      const linked = spawnSync('cp', ['-al', join(REAL, 'node_modules'), modules]).status === 0;
      if (!linked) removeFolder(modules);
      if (!linked) cpSync(join(REAL, 'node_modules'), modules, { recursive: true });
      const lock = createHash('sha256').update(readFileSync(join(folder, 'package-lock.json')));
      const stamp = join(modules, '.mempalace-install');
      // A hard link to the stamp of this checkout must not be written through.
      rmSync(stamp, { force: true });
      const { platform, arch, versions } = process;
      writeFileSync(stamp, `${[lock.digest('hex'), versions.modules, platform, arch].join(' ')}\n`);
    },
    /** Puts the build of this checkout into another one of the same sources: a build takes 20 s of a core. */
    giveBuild: (folder: string) => {
      cpSync(join(REAL, 'dist'), join(folder, 'dist'), { recursive: true });
      const note = "import { noteSources } from './scripts/built-from.mjs'; noteSources('dist');";
      spawnSync(process.execPath, ['--input-type=module', '-e', note], { cwd: folder });
    },
    /** The tree of a commit, or false if this checkout has no history. */
    takeCommit: (commit: string, folder: string) => {
      mkdirSync(folder, { recursive: true });
      const archive = join(base, `${commit}.tar`);
      const made = spawnSync('git', ['archive', '-o', archive, commit], { cwd: REAL }).status === 0;
      return made && spawnSync('tar', ['-xf', archive, '-C', folder]).status === 0;
    },
    remove: () => removeFolder(base),
  };
}

export const hasCommit = (commit: string) =>
  spawnSync('git', ['cat-file', '-e', `${commit}^{commit}`], { cwd: dirname(join(REAL, 'x')) }).status === 0;
