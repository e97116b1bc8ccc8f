import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { removeFolder } from '../support/cleanups.js';

const REAL = fileURLToPath(new URL('../../', import.meta.url));
const START = `require('./program.cjs');
exports.start = (name) => console.log(JSON.stringify(process.argv.slice(2)) + '\\n' + name);
`;

let base: string;
let root: string;
const at = (...parts: string[]) => join(base, ...parts);

function write(path: string, text: string, mode = 0o644) {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
  chmodSync(path, mode);
}

/** Runs with a PATH that contains only `readlink`, as a timer may have it. */
function run(command: string, args: string[] = [], options: { path?: string; cwd?: string } = {}) {
  const env = { PATH: options.path ?? at('tools') };
  const done = spawnSync(command, args, { env, cwd: options.cwd ?? base, encoding: 'utf8' });
  return { code: done.status, stdout: done.stdout.trim(), stderr: done.stderr.trim() };
}

const recordNode = (path = process.execPath) => writeFileSync(join(root, '.node-path'), `${path}\n`);

beforeEach(() => {
  base = mkdtempSync(join(tmpdir(), 'launch er '));
  root = at('check out');
  for (const bin of readdirSync(join(REAL, 'bin'))) {
    mkdirSync(join(root, 'bin'), { recursive: true });
    copyFileSync(join(REAL, 'bin', bin), join(root, 'bin', bin));
  }
  mkdirSync(join(root, 'scripts'));
  copyFileSync(join(REAL, 'scripts/launch.sh'), join(root, 'scripts/launch.sh'));
  write(join(root, 'package.json'), '{"type":"module"}');
  write(join(root, 'install.sh'), '');
  write(join(root, 'dist/cli/program.cjs'), '');
  write(join(root, 'dist/cli/start.cjs'), START);
  mkdirSync(join(root, 'node_modules/commander'), { recursive: true });
  mkdirSync(at('tools'));
  const readlink = spawnSync('sh', ['-c', 'command -v readlink'], { encoding: 'utf8' }).stdout.trim();
  symlinkSync(readlink, at('tools/readlink'));
});
afterEach(() => removeFolder(base));

describe('a launcher in a checkout', () => {
  it.each(['mempalace', 'mempalace-docs', 'mempalace-mcp', 'mempalace-session'])(
    '%s runs with the recorded Node, node on PATH or not, arguments as they are',
    (program) => {
      recordNode();
      const words = ['two words', '*', '$HOME', '', '--x=\'"'];
      const done = run(join(root, 'bin', program), words);
      expect([done.code, done.stderr, done.stdout]).toEqual([0, '', `${JSON.stringify(words)}\n${program}`]);
    },
  );

  it('runs under node too', () => {
    const done = run(process.execPath, [join(root, 'bin/mempalace'), 'a']);
    expect([done.code, done.stdout]).toEqual([0, '["a"]\nmempalace']);
  });

  it('works through a chain of links, absolute and relative, from any folder', () => {
    recordNode();
    mkdirSync(at('home/.local/bin'), { recursive: true });
    symlinkSync(join(root, 'bin/mempalace'), at('home/first'));
    symlinkSync('../../first', at('home/.local/bin/mempalace'));
    symlinkSync('home/.local/bin', at('bin link'));
    for (const [command, cwd] of [
      [at('bin link/mempalace'), base],
      ['./mempalace', at('home/.local/bin')],
      ['../bin/mempalace', join(root, 'bin')],
    ] as const) {
      expect(run(command, ['x'], { cwd })).toEqual({ code: 0, stdout: '["x"]\nmempalace', stderr: '' });
    }
    expect(run('/bin/sh', ['mempalace'], { cwd: join(root, 'bin') }).stdout).toBe('[]\nmempalace');
    expect(run('mempalace', [], { path: `${at('home/.local/bin')}:${at('tools')}` }).stdout).toBe(
      '[]\nmempalace',
    );
  });

  it.each([
    ['the Node it was installed with is gone (/gone/node)', () => recordNode('/gone/node')],
    ['the Node it was installed with is gone ()', () => writeFileSync(join(root, '.node-path'), '')],
    [
      'its packages are missing',
      () => {
        recordNode();
        rmSync(join(root, 'node_modules'), { recursive: true });
      },
    ],
    [
      'it is not built',
      () => {
        recordNode();
        rmSync(join(root, 'dist'), { recursive: true });
      },
    ],
  ])('%s: one line with a hint', (words, spoil) => {
    spoil();
    symlinkSync(join(root, 'bin/mempalace-session'), at('tools/session'));
    expect(run(at('tools/session'))).toEqual({
      code: 1,
      stdout: '',
      stderr: `session: ${words}: run ./install.sh in ${root}`,
    });
  });
});

describe('a launcher of a package', () => {
  beforeEach(() => rmSync(join(root, 'install.sh')));

  it('uses the node next to it, for any PATH', () => {
    mkdirSync(at('prefix/bin'), { recursive: true });
    symlinkSync('../../check out/bin/mempalace', at('prefix/bin/mempalace'));
    write(at('prefix/bin/node'), '#!/bin/sh\necho beside "$@"\n', 0o755);
    write(at('tools/node'), '#!/bin/sh\necho on PATH\n', 0o755);
    expect(run(at('prefix/bin/mempalace'), ['a']).stdout).toBe(`beside ${at('prefix/bin/mempalace')} a`);
    rmSync(at('prefix/bin/node'));
    expect(run(at('prefix/bin/mempalace'), ['a']).stdout).toBe('on PATH');
  });

  it('started by its own path uses the node of the prefix that npm installed it into, not one that came first on PATH', () => {
    const installed = at('prefix/lib/node_modules/mempalace-toolkit');
    mkdirSync(dirname(installed), { recursive: true });
    renameSync(root, installed);
    root = installed;
    write(at('prefix/bin/node'), '#!/bin/sh\necho of the prefix\n', 0o755);
    write(at('tools/node'), '#!/bin/sh\necho on PATH\n', 0o755);
    expect(run(join(installed, 'bin/mempalace-mcp')).stdout).toBe('of the prefix');
    rmSync(at('prefix/bin/node'));
    expect(run(join(installed, 'bin/mempalace-mcp')).stdout).toBe('on PATH');
  });

  it('names missing files', () => {
    const launcher = join(root, 'bin/mempalace');
    expect(run(launcher).stderr).toContain('mempalace: node is not on PATH: install Node 20');
    symlinkSync(process.execPath, at('tools/node'));
    rmSync(join(root, 'dist'), { recursive: true });
    expect(run(launcher)).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('install it again with npm'),
    });
  });
});
