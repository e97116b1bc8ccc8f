import { spawnSync } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createCheckout } from './checkout.js';

const has = (tool: string) => spawnSync('sh', ['-c', `command -v ${tool}`]).status === 0;
const runTool = (tool: string, args: string[]) => spawnSync(tool, args, { encoding: 'utf8' });
const INSTALL = fileURLToPath(new URL('../../install.sh', import.meta.url));

let checkout: ReturnType<typeof createCheckout>;
beforeEach(() => {
  checkout = createCheckout();
});
afterEach(() => checkout.remove());

describe('a fresh machine', () => {
  it('installs, builds, links and says what to put on PATH', () => {
    const run = checkout.run();
    expect(run.stderr).toBe('');
    expect(run.code).toBe(0);
    expect(checkout.npmCalls()).toEqual([
      'ci --include=dev --no-audit --no-fund --loglevel=error',
      'run build --loglevel=error',
    ]);
    for (const name of ['mempalace', 'mempalace-docs', 'mempalace-session']) {
      expect(readlinkSync(join(checkout.bin, name))).toBe(join(checkout.root, 'bin', name));
    }
    expect(run.stdout).toContain(`echo 'export PATH="$HOME/.local/bin:$PATH"' >> ~/.bashrc`);
    expect(checkout.feederCalls()).toEqual([]);
  });

  it('a second run installs nothing and links nothing', () => {
    checkout.run();
    checkout.forget();
    const again = checkout.run();
    expect(again.code).toBe(0);
    expect(checkout.npmCalls()).toEqual(['run build --loglevel=error']);
    expect(again.stdout).toContain('Packages are up to date.');
    expect(again.stdout).toContain(`${join(checkout.bin, 'mempalace')} is linked already.`);
  });

  it('a changed lockfile installs again', () => {
    checkout.run();
    checkout.forget();
    writeFileSync(join(checkout.root, 'package-lock.json'), '{"changed": true}\n');
    checkout.run();
    expect(checkout.npmCalls()[0]).toMatch(/^ci /);
  });

  it('compiles against node’s own headers when they lie beside it, and against the ones that were named', () => {
    const prefix = dirname(dirname(process.execPath));
    const header = join(prefix, 'include/node/node_version.h');
    const text = existsSync(header) ? readFileSync(header, 'utf8') : '';
    const found = ['MAJOR', 'MINOR', 'PATCH'].map(
      (name) => new RegExp(`NODE_${name}_VERSION (\\d+)`).exec(text)?.[1],
    );
    const beside = found.join('.') === process.versions.node;
    checkout.run([], { NPM_SKIPS_SCRIPTS: 'once' });
    expect(checkout.npmEnvironment()).toEqual([beside ? `nodedir=${prefix}` : 'nodedir=']);
    rmSync(join(checkout.root, 'node_modules'), { recursive: true });
    checkout.forget();
    checkout.run([], { npm_config_nodedir: '/opt/headers', NPM_SKIPS_SCRIPTS: 'once' });
    expect(checkout.npmEnvironment()).toEqual(['nodedir=/opt/headers']);
  });

  it.each([
    ['/usr/bin/zsh', `>> ~/.zshrc`],
    ['/usr/bin/fish', 'fish_add_path "$HOME/.local/bin"'],
    [undefined, '>> ~/.profile'],
  ])('names the line for the shell %s', (shell, line) => {
    checkout.quickNode();
    expect(checkout.run([], { SHELL: shell }).stdout).toContain(line);
  });

  it('is silent about PATH when the folder is on it', () => {
    const run = checkout.run([], { PATH: `${checkout.bin}:${checkout.tools}` });
    expect(run.stdout).not.toContain('PATH');
    expect(run.stderr).toBe('');
  });

  it('tells when another mempalace comes first on PATH', () => {
    checkout.replace('mempalace', '#!/bin/sh\n');
    const run = checkout.run([], { PATH: `${checkout.tools}:${checkout.bin}` });
    expect(run.stderr).toContain(`${checkout.tools}/mempalace comes before ${checkout.bin}/mempalace`);
  });
});

describe('links', () => {
  beforeEach(() => checkout.quickNode());

  it('never overwrites a file that is not ours, goes on, and ends with 3', () => {
    mkdirSync(checkout.bin, { recursive: true });
    writeFileSync(join(checkout.bin, 'mempalace'), 'the other one\n');
    const run = checkout.run();
    expect(run.code).toBe(3);
    expect(run.stderr).toContain(`${checkout.bin}/mempalace belongs to something else`);
    expect(readFileSync(join(checkout.bin, 'mempalace'), 'utf8')).toBe('the other one\n');
    expect(readlinkSync(join(checkout.bin, 'mempalace-docs'))).toContain(checkout.root);
  });

  it('never overwrites a link to something else, dangling or not', () => {
    mkdirSync(checkout.bin, { recursive: true });
    symlinkSync('/nowhere/tool', join(checkout.bin, 'mempalace'));
    const other = join(checkout.base, 'python', 'bin');
    mkdirSync(other, { recursive: true });
    writeFileSync(join(other, 'mempalace-docs'), '');
    symlinkSync(join(other, 'mempalace-docs'), join(checkout.bin, 'mempalace-docs'));
    expect(checkout.run().code).toBe(3);
    expect(readlinkSync(join(checkout.bin, 'mempalace'))).toBe('/nowhere/tool');
    expect(readlinkSync(join(checkout.bin, 'mempalace-docs'))).toBe(join(other, 'mempalace-docs'));
  });

  it('takes over the links of a checkout that is gone and of another checkout', () => {
    mkdirSync(checkout.bin, { recursive: true });
    symlinkSync('/gone/checkout/bin/mempalace', join(checkout.bin, 'mempalace'));
    const other = createCheckout('other');
    symlinkSync(join(other.root, 'bin/mempalace-docs'), join(checkout.bin, 'mempalace-docs'));
    const run = checkout.run();
    other.remove();
    expect(run.code).toBe(0);
    expect(run.stdout).toContain('it pointed to /gone/checkout/bin/mempalace');
    for (const name of ['mempalace', 'mempalace-docs']) {
      expect(readlinkSync(join(checkout.bin, name))).toBe(join(checkout.root, 'bin', name));
    }
  });

  it('--prefix links elsewhere, below the folder it was called from', () => {
    const run = checkout.run(['--prefix', 'my tools']);
    expect(run.code).toBe(0);
    expect(readdirSync(join(checkout.base, 'my tools', 'bin'))).toHaveLength(3);
    expect(readdirSync(checkout.home)).toEqual([]);
  });
});

describe('what is missing is told with its cure', () => {
  it('no node', () => {
    rmSync(join(checkout.tools, 'node'));
    const run = checkout.run();
    expect([run.code, run.stderr]).toEqual([
      1,
      expect.stringContaining('Node is not installed. Install Node 20'),
    ]);
  });

  it('an old node', () => {
    checkout.replace('node', '#!/bin/sh\necho 18.20.4\n');
    const run = checkout.run();
    expect([run.code, run.stderr]).toEqual([1, expect.stringContaining('Node 18.20.4 is too old')]);
    expect(checkout.npmCalls()).toEqual([]);
  });

  it('no npm', () => {
    rmSync(join(checkout.tools, 'npm'));
    const run = checkout.run();
    expect([run.code, run.stderr]).toEqual([1, expect.stringContaining('npm is not installed')]);
  });

  it.each([undefined, '', '/nowhere/at/all'])('HOME is %j', (home) => {
    const run = checkout.run([], { HOME: home });
    expect([run.code, run.stderr]).toEqual([1, expect.stringContaining('HOME is not set to a folder')]);
  });

  it('a compiler: npm’s words in full, the packages of each system, and no stamp', () => {
    const run = checkout.run([], { NPM_CI_SAYS: 'node_modules/better-sqlite3: gyp ERR! not found: make' });
    expect(run.code).toBe(1);
    expect(run.stderr).toContain('gyp ERR! not found: make');
    expect(run.stderr).toContain('Not found here: make g++ python3.');
    expect(run.stderr).toMatch(/Debian.*apt install[\s\S]*Fedora.*dnf install[\s\S]*macOS.*xcode-select/);
    checkout.forget();
    checkout.run();
    expect(checkout.npmCalls()[0]).toMatch(/^ci /);
  });

  it('a failure of npm that is no compiler’s is shown without talk of compilers', () => {
    const run = checkout.run([], { NPM_CI_SAYS: 'npm error network' });
    expect(run.code).toBe(1);
    expect(run.stderr).toContain('npm error network');
    expect(run.stderr).not.toContain('python3');
  });

  it('install scripts that npm left out are made up for', () => {
    const run = checkout.run([], { NPM_SKIPS_SCRIPTS: 'once' });
    expect(run.code).toBe(0);
    expect(checkout.npmCalls()).toContain('rebuild better-sqlite3 --ignore-scripts=false --loglevel=error');
  });

  it('install scripts that npm blocks for good end the run with the command that allows them', () => {
    const run = checkout.run([], { NPM_SKIPS_SCRIPTS: 'forever' });
    expect([run.code, run.stderr]).toEqual([1, expect.stringContaining('--allow-scripts=better-sqlite3')]);
  });

  it('a package that has no build for this machine: its own words and where there are builds', () => {
    const run = checkout.run([], { ONNX_INDEX: 'throw new Error("no build for this machine")' });
    expect(run.code).toBe(1);
    expect(run.stderr).toMatch(/no build for this machine[\s\S]*onnxruntime-node does not load here/);
    expect(checkout.npmCalls().filter((call) => call.startsWith('rebuild'))).toEqual([]);
  });

  it.each([
    [['--bogus'], 'unknown argument: --bogus'],
    [['--prefix'], '--prefix needs a folder'],
    [['--backfill', 'no such folder'], 'not a folder: no such folder'],
  ])('wrong usage %j ends with 2 before anything is done', (args, message) => {
    const run = checkout.run(args);
    expect([run.code, run.stderr]).toEqual([2, expect.stringContaining(message)]);
    expect(checkout.npmCalls()).toEqual([]);
  });
});

describe('--backfill', () => {
  beforeEach(() => checkout.quickNode());

  it('runs both feeders through the checkout, with the folder as an absolute path', () => {
    const project = join(checkout.base, 'my project');
    mkdirSync(project);
    const run = checkout.run(['--backfill', 'my project']);
    expect([run.code, run.stderr]).toEqual([0, '']);
    expect(checkout.feederCalls()).toEqual([
      `mempalace-docs ${project}`,
      'mempalace-session --dry-run --json --limit 1',
      'mempalace-session',
    ]);
  });

  it('without a folder files the sessions only, also with an option behind it', () => {
    const run = checkout.run(['--backfill', '--prefix', join(checkout.base, 'p')]);
    expect(run.code).toBe(0);
    expect(checkout.feederCalls().filter((call) => call.startsWith('mempalace-docs'))).toEqual([]);
    expect(checkout.feederCalls()).toContain('mempalace-session');
  });

  it('a machine without opencode gets a notice, not an error', () => {
    const run = checkout.run(['--backfill'], { NO_OPENCODE: '1', SESSION_EXIT: '1' });
    expect([run.code, run.stderr]).toEqual([0, '']);
    expect(run.stdout).toContain('There is no opencode database on this machine');
  });

  it.each([
    ['3', '0', 3, 'something was held back or could not be read'],
    ['1', '0', 1, 'mempalace-docs failed (exit 1)'],
    ['3', '11', 11, 'another run holds the palace'],
    ['1', '3', 1, 'mempalace-session is done, but'],
  ])('docs ending with %s and sessions with %s ends with %i', (docs, session, code, message) => {
    const run = checkout.run(['--backfill', '.'], { DOCS_EXIT: docs, SESSION_EXIT: session });
    expect([run.code, run.stderr]).toEqual([code, expect.stringContaining(message)]);
    expect(checkout.feederCalls()).toContain('mempalace-session');
  });

  it('an interrupted feeder ends the run at once', () => {
    expect(checkout.run(['--backfill', '.'], { DOCS_EXIT: '130' }).code).toBe(130);
    expect(checkout.feederCalls()).toHaveLength(1);
  });
});

describe('the script itself', () => {
  it('--help names every option and exit code and touches nothing', () => {
    const run = checkout.run(['--help'], { HOME: undefined });
    expect(run.code).toBe(0);
    for (const word of ['--prefix', '--backfill', '--help', '11', '130']) expect(run.stdout).toContain(word);
    expect(checkout.npmCalls()).toEqual([]);
  });

  it.skipIf(!has('shellcheck'))('passes shellcheck (skipped without shellcheck)', () => {
    const run = runTool('shellcheck', [INSTALL, ciScript()]);
    expect([run.status, run.stdout]).toEqual([0, '']);
  });

  it.skipIf(!has('shfmt'))('passes shfmt (skipped without shfmt)', () => {
    const run = runTool('shfmt', ['-d', '-i', '2', INSTALL, ciScript()]);
    expect([run.status, run.stdout]).toEqual([0, '']);
  });
});

const ciScript = () => fileURLToPath(new URL('../../.ci/run', import.meta.url));
