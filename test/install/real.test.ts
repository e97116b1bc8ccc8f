import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createRealCheckout, hasCommit } from './real-checkout.js';

/**
 * The first commit that contains everything its install.sh installs. (The very first install.sh, 30aa512, came before
 * bin/ and refuses to run.)
 */
const FIRST = 'a3dd1a7621aeeccd10cc66df83dd1c3665848012';
const PROGRAMS = ['mempalace', 'mempalace-docs', 'mempalace-mcp', 'mempalace-session'];

let checkout: ReturnType<typeof createRealCheckout>;
beforeAll(() => {
  checkout = createRealCheckout();
}, 120_000);
afterAll(() => checkout.remove());

function project(folder: string) {
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'README.md'), '# Handbook\n\nA release is cut on Thursdays, by Ada.\n');
  return folder;
}
/** Like `du`, except for partly filled blocks. */
function megabytesBelow(folder: string): number {
  const paths = readdirSync(folder, { recursive: true, encoding: 'utf8' }).map((name) => join(folder, name));
  return paths.reduce((sum, path) => sum + lstatSync(path).size, 0) / 1e6;
}
// With the list of projects, which --backfill made.
const ourData = (line: string) => /^\.(?:mempalace|cache|config)\//.test(line);
const writable = (root: string) => spawnSync('sh', ['-c', `[ -w '${root}' ]`]).status === 0;

describe('the life of an install, from a path with spaces', { timeout: 180_000 }, () => {
  it('is interrupted, continues, runs with the recorded Node, and is uninstalled completely', () => {
    const machine = checkout.machine('home of ada');
    writeFileSync(join(machine.home, '.bashrc'), 'set -o vi\n');
    const before = machine.tree();

    const killed = machine.install([], { INTERRUPTED: 'yes' });
    expect(killed.code, killed.all).toBe(143);
    const check = machine.install(['--check']);
    expect([check.code, check.stdout]).toEqual([1, expect.stringContaining('outdated   packages')]);

    const first = machine.install(['--path', '--backfill', project(join(checkout.base, 'my project'))]);
    expect(first.code, first.all).toBe(0);
    expect(first.stdout).toContain('No agent has sessions on this machine');
    expect(checkout.npmCalls()).toEqual(['ci', 'ci']);
    expect(first.stdout).toMatch(
      /^pruned {5}packages for building and testing \(\d+ MB\), .*npm ci restores them for development$/m,
    );
    const modules = join(checkout.root, 'node_modules');
    expect(existsSync(join(modules, 'vitest'))).toBe(false);
    expect(megabytesBelow(checkout.root)).toBeLessThan(160);
    for (const name of PROGRAMS) {
      expect(readlinkSync(join(machine.home, '.local/bin', name))).toBe(join(checkout.root, 'bin', name));
    }
    const found = machine.program('mempalace', ['search', 'when is a release cut', '--json']);
    expect([found.code, found.stdout]).toEqual([0, expect.stringContaining('cut on Thursdays')]);

    const complete = machine.install(['--check']);
    expect(complete.code, complete.all).toBe(0);
    const tree = machine.tree().filter((line) => !ourData(line));
    const second = machine.install(['--path']);
    expect([second.code, second.stdout]).toEqual([0, expect.stringContaining('unchanged  the build')]);
    expect(machine.tree().filter((line) => !ourData(line))).toEqual(tree);
    expect(checkout.npmCalls()).toEqual([]);

    const left = machine.install(['--uninstall']);
    expect(left.code, left.all).toBe(0);
    expect(
      machine.tree().filter((line) => !ourData(line) && !/^\.(?:mempalace|cache)\/$/.test(line)),
    ).toEqual(before);
    expect(existsSync(join(machine.home, '.mempalace/palace/palace.sqlite3'))).toBe(true);
    machine.install(['--uninstall', '--purge', '--yes']);
    expect(machine.tree()).toEqual(before);
  });

  it('is repaired by a new run: a missing native module, a changed build, a moved checkout', () => {
    const machine = checkout.machine('second home');
    const installed = machine.install();
    expect(installed.code, installed.all).toBe(0);
    checkout.npmCalls();

    const cure = expect.stringContaining(`run ./install.sh in ${checkout.root}`);
    rmSync(join(checkout.root, 'node_modules/better-sqlite3/build'), { recursive: true });
    const folder = project(join(checkout.base, 'another project'));
    expect(machine.program('mempalace-docs', [folder])).toMatchObject({ code: 1, stderr: cure });
    const compiled = machine.install();
    expect([compiled.code, compiled.stdout]).toEqual([0, expect.stringContaining('unchanged  the build')]);
    expect(checkout.npmCalls()).toEqual(['rebuild']);
    const parts = readdirSync(join(checkout.root, 'dist/parts'));
    for (const part of parts.filter((name) => name.startsWith('status-')))
      rmSync(join(checkout.root, 'dist/parts', part));
    expect(machine.program('mempalace', ['status'])).toMatchObject({ code: 1, stderr: cure });
    const cured = machine.install();
    expect([cured.code, cured.stdout]).toEqual([0, expect.stringContaining('built      the programs')]);
    // The build dependencies were pruned. The native module survives that.
    expect(checkout.npmCalls()).toEqual(['ci']);
    expect(cured.stdout).toContain('pruned     packages for building');

    const moved = join(checkout.base, 'moved');
    renameSync(checkout.root, moved);
    expect(machine.program('mempalace', ['--version']).code).not.toBe(0);
    const again = machine.install([], {}, moved);
    renameSync(moved, checkout.root);
    expect([again.code, again.stdout]).toEqual([
      0,
      expect.stringContaining(
        `linked     ${machine.home}/.local/bin/mempalace; formerly to ${checkout.root}/bin`,
      ),
    ]);
    expect(machine.install(['--uninstall', '--purge', '--yes']).code).toBe(0);
    expect(machine.tree()).toEqual([]);
  });

  it.skipIf(!hasCommit(FIRST))('upgrades the first installable version (skipped without history)', () => {
    const machine = checkout.machine('old home');
    const old = join(checkout.base, 'old version');
    expect(checkout.takeCommit(FIRST, old)).toBe(true);
    checkout.givePackages(old);
    // The first version builds with npm, which writes its own logs and cache.
    const first = machine.install([], { PATH: `${process.env.PATH}` }, old);
    expect(first.code, first.all).toBe(0);
    const before = machine.tree().filter((line) => line.startsWith('.npm'));
    machine.program('mempalace-docs', [project(join(machine.home, 'p'))]);

    for (const name of readdirSync(old)) {
      if (name !== 'node_modules') rmSync(join(old, name), { recursive: true });
    }
    checkout.fill(old);
    checkout.giveBuild(old);
    const upgraded = machine.install([], {}, old);
    expect([upgraded.code, upgraded.stdout]).toEqual([0, expect.stringContaining('unchanged  the build')]);
    const found = machine.program('mempalace', ['search', 'when is a release cut', '--json']);
    expect([found.code, found.stdout]).toEqual([0, expect.stringContaining('cut on Thursdays')]);
    expect(readdirSync(join(machine.home, '.mempalace/palace/backups'))).toEqual([
      expect.stringMatching(/-before-migration\.sqlite3$/),
    ]);
    const same = machine.program('mempalace-docs', [join(machine.home, 'p'), '--json']);
    expect([same.code, same.stderr]).toEqual([0, '']);
    expect(JSON.parse(same.stdout)).toMatchObject({ new: 0, removed: 0, drawers_total: 1 });
    expect(machine.install(['--check'], {}, old).code).toBe(0);

    expect(machine.install(['--uninstall', '--purge', '--yes'], {}, old).code).toBe(0);
    rmSync(join(machine.home, 'p'), { recursive: true });
    const left = machine.tree().filter((line) => !before.includes(line));
    // The first version did not record its folders, and let ONNX Runtime store records in HOME.
    const others = (line: string) => line.endsWith('/') || line.startsWith('.cache/Microsoft/');
    expect(left.filter((line) => !others(line))).toEqual([]);
  });
});

describe('packages that were installed before', { timeout: 180_000 }, () => {
  it('can be a developer’s: they stay, with a notice; --prune removes them', () => {
    const machine = checkout.machine('home of a developer');
    const clone = join(checkout.base, 'a clone');
    checkout.fill(clone);
    checkout.givePackages(clone);
    checkout.giveBuild(clone);
    const first = machine.install([], {}, clone);
    expect([first.code, first.stdout]).toEqual([
      0,
      expect.stringMatching(
        /^kept {7}packages for building and testing .*: .\/install\.sh --prune removes them$/m,
      ),
    ]);
    expect(existsSync(join(clone, 'node_modules/vitest'))).toBe(true);
    const pruned = machine.install(['--prune'], {}, clone);
    expect([pruned.code, pruned.stdout]).toEqual([0, expect.stringContaining('pruned     packages')]);
    expect(existsSync(join(clone, 'node_modules/vitest'))).toBe(false);
    expect(machine.install(['--check'], {}, clone).code).toBe(0);
    machine.install(['--uninstall', '--purge', '--yes'], {}, clone);
  });
});

describe('uninstalling', { timeout: 180_000 }, () => {
  it('removes the MCP entries and the hooks, and deletes identity.txt next to other files', () => {
    const machine = checkout.machine('home with agents');
    expect(machine.install().code).toBe(0);
    const write = (path: string, text: string) => {
      mkdirSync(join(machine.home, path, '..'), { recursive: true });
      writeFileSync(join(machine.home, path), text);
    };
    const other = '{"mcpServers":{"mempalace":{"command":"/opt/other/mempalace-mcp"}}}';
    write('.cursor/mcp.json', other);
    for (const client of ['opencode', 'claude-code', 'codex'])
      expect(machine.program('mempalace', ['mcp', 'install', client]).code).toBe(0);
    write(
      '.claude/settings.json',
      '{"a":1,"hooks":{"Stop":[{"hooks":[{"command":"mempalace hook run --hook stop"}]}]}}',
    );
    write('.mempalace/identity.txt', 'Ada');
    write('.mempalace/config.json', '{}');
    const left = machine.install(['--uninstall', '--purge', '--yes']);
    expect(left.code, left.all).toBe(0);
    for (const name of ['opencode', 'Claude Code', 'Codex'])
      expect(left.stdout).toMatch(new RegExp(`^changed {4}${name}: ~/.* \\(mcp\\)$`, 'm'));
    expect(left.stdout).toContain('changed    Claude Code: ~/.claude/settings.json (hooks)');
    const text = (path: string) => readFileSync(join(machine.home, path), 'utf8');
    expect(text('.codex/config.toml')).not.toContain('mempalace');
    expect(JSON.parse(text('.claude/settings.json'))).toEqual({ a: 1 });
    expect(text('.cursor/mcp.json')).toBe(other);
    expect(existsSync(join(machine.home, '.mempalace/identity.txt'))).toBe(false);
    expect(text('.mempalace/config.json')).toBe('{}');
  });
});

describe('a HOME that is not writable is reported before anything is done', () => {
  it('a file in place of a folder', () => {
    const machine = checkout.machine('file home');
    writeFileSync(join(machine.home, '.local'), '');
    const run = machine.install();
    expect(run).toMatchObject({
      code: 1,
      stderr: `install.sh: ${machine.home}/.local is not a folder, but a folder is needed there.\n`,
    });
    expect(run.stdout).toBe('');
  });

  it('no permission (skipped as root)', ({ skip }) => {
    const machine = checkout.machine('locked home');
    chmodSync(machine.home, 0o555);
    if (writable(machine.home)) skip();
    const run = machine.install();
    chmodSync(machine.home, 0o755);
    expect([run.code, run.stderr]).toEqual([
      1,
      expect.stringContaining(`cannot write in ${machine.home}: is it yours`),
    ]);
  });

  it('a read-only file system (skipped where one cannot be mounted)', ({ skip }) => {
    const machine = checkout.machine('read-only home');
    const mount = `mount --bind "$HOME" "$HOME" && mount -o remount,ro,bind "$HOME" || exit 99
      "$0" "$@"`;
    const env = { HOME: machine.home, PATH: process.env.PATH ?? '' };
    const install = join(checkout.root, 'install.sh');
    const run = spawnSync('unshare', ['-m', 'sh', '-c', mount, install], { env, encoding: 'utf8' });
    if (run.error !== undefined || run.status === 99 || !run.stderr.startsWith('install.sh:')) skip();
    expect([run.status, run.stderr]).toEqual([
      1,
      `install.sh: cannot write in ${machine.home}: is it writable for you? Another place is named with --prefix.\n`,
    ]);
  });
});
