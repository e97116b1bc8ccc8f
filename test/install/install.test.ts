import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { CHANGED_LOCKFILE, createCheckout, has, runTool, skillOf } from './checkout.js';

const INSTALL = fileURLToPath(new URL('../../install.sh', import.meta.url));

let checkout: ReturnType<typeof createCheckout>;
beforeEach(() => {
  checkout = createCheckout();
});
afterEach(() => checkout.remove());

describe('a fresh machine', () => {
  it('installs, builds, links and says what to put on PATH', () => {
    const run = checkout.run();
    expect(run.stderr).toBe("fail: the doctor's word\n");
    expect(run.code).toBe(0);
    expect(checkout.npmCalls()).toEqual(['ci --include=dev --no-audit --no-fund --loglevel=error', 'build']);
    for (const name of ['mempalace', 'mempalace-docs', 'mempalace-mcp', 'mempalace-session']) {
      expect(readlinkSync(join(checkout.bin, name))).toBe(join(checkout.root, 'bin', name));
    }
    const share = join(checkout.home, '.local/share');
    for (const path of ['man/man1/mempalace.1', 'fish/vendor_completions.d/mempalace.fish']) {
      expect(readlinkSync(join(share, path))).toBe(join(checkout.root, 'dist/share', path));
    }
    expect(readlinkSync(skillOf(checkout))).toBe(join(checkout.root, 'SKILL.md'));
    expect(readFileSync(join(checkout.root, '.node-path'), 'utf8')).toBe(`${checkout.tools}/node\n`);
    expect(run.stdout).toContain(`Add this line to ${checkout.home}/.bashrc`);
    expect(run.stdout).toContain('\n  export PATH="$HOME/.local/bin:$PATH"\n');
    expect(run.stdout).toContain(`linked     2 manuals and completions below ${share}\n`);
    expect(checkout.calls()).toEqual(['mempalace doctor']);
  });

  it('a second run changes nothing, and reports that for every step', () => {
    checkout.run();
    checkout.forget();
    const before = checkout.tree();
    const again = checkout.run();
    expect(again.code).toBe(0);
    expect(checkout.npmCalls()).toEqual([]);
    expect(checkout.tree()).toEqual(before);
    const steps = again.stdout.match(/^(?:recorded|installed|built|linked|unchanged) .*$/gm) ?? [];
    expect(steps.every((step) => step.startsWith('unchanged'))).toBe(true);
    expect(steps).toHaveLength(10);
  });

  it('changed sources are built again, and a page that is no longer built loses its link', () => {
    checkout.run();
    checkout.forget();
    writeFileSync(join(checkout.root, 'sources'), '2');
    const page = join(checkout.home, '.local/share/man/man1/mempalace-old.1');
    symlinkSync(join(checkout.root, 'dist/share/man/man1/mempalace-old.1'), page);
    const run = checkout.run();
    expect(checkout.npmCalls()).toEqual(['build']);
    expect(run.stdout).toContain('removed    1 links to manuals');
    expect(checkout.tree().filter((line) => line.includes('mempalace-old'))).toEqual([]);
  });

  it('records the path that survives an update: a link to node itself, else the program behind a shim', () => {
    const recorded = () => readFileSync(join(checkout.root, '.node-path'), 'utf8').trim();
    checkout.run();
    expect(recorded()).toBe(join(checkout.tools, 'node'));
    checkout.replace('node', `#!/bin/sh\nexec "${process.execPath}" "$@"\n`);
    const run = checkout.run();
    expect(recorded()).toBe(realpathSync(process.execPath));
    expect(run.stdout).toContain(`recorded   the Node of the programs: ${recorded()}`);
  });

  it('exits with 3 if doctor finds a problem, and with 1 if a program does not run', () => {
    const ill = checkout.run([], { DOCTOR_EXIT: '1' });
    expect([ill.code, ill.stderr]).toEqual([3, expect.stringContaining("fail: the doctor's word")]);
    writeFileSync(join(checkout.root, 'bin/mempalace'), '#!/bin/sh\necho broken >&2; exit 1\n');
    const broken = checkout.run();
    expect([broken.code, broken.stderr]).toEqual([
      1,
      expect.stringContaining('mempalace does not run: broken'),
    ]);
  });

  it('packages that npm ci has installed are used', () => {
    checkout.run();
    checkout.forget();
    rmSync(join(checkout.root, 'node_modules'), { recursive: true });
    const env = { PATH: checkout.tools, NPM_CALLS: join(checkout.base, 'somewhere') };
    const npm = runTool(join(checkout.tools, 'npm'), ['ci'], { cwd: checkout.root, env });
    expect(npm.status, npm.stderr).toBe(0);
    expect(checkout.run().stdout).toMatch(/^unchanged +packages$/m);
    expect(checkout.npmCalls()).toEqual([]);
  });

  it('a changed lockfile installs again', () => {
    checkout.run();
    checkout.forget();
    writeFileSync(join(checkout.root, 'package-lock.json'), CHANGED_LOCKFILE);
    checkout.run();
    expect(checkout.npmCalls()[0]).toMatch(/^ci /);
  });

  it('a missing package is installed again, even if the lockfile is unchanged', () => {
    checkout.run();
    checkout.forget();
    rmSync(join(checkout.root, 'node_modules/zod'), { recursive: true });
    expect(checkout.run(['--check']).stdout).toContain('outdated   packages');
    expect(checkout.run().code).toBe(0);
    expect(checkout.npmCalls()[0]).toMatch(/^ci /);
  });

  it('compiles with the headers next to node, and with those that are named', () => {
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

  it('warns if another mempalace is first on PATH', () => {
    checkout.replace('mempalace', '#!/bin/sh\n');
    const run = checkout.run([], { PATH: `${checkout.tools}:${checkout.bin}` });
    expect(run.stderr).toContain(`${checkout.tools}/mempalace comes before ${checkout.bin}/mempalace`);
  });
});

describe('links', () => {
  beforeEach(() => checkout.quickNode());

  it('does not overwrite a foreign file, continues, and exits with 3', () => {
    mkdirSync(checkout.bin, { recursive: true });
    writeFileSync(join(checkout.bin, 'mempalace'), 'the other one\n');
    const run = checkout.run();
    expect(run.code).toBe(3);
    expect(run.stderr).toContain(`${checkout.bin}/mempalace belongs to another program`);
    expect(readFileSync(join(checkout.bin, 'mempalace'), 'utf8')).toBe('the other one\n');
    expect(readlinkSync(join(checkout.bin, 'mempalace-docs'))).toContain(checkout.root);
  });

  it('does not overwrite a link to another target, dangling or not', () => {
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

  it('continues without a manual if its parent is not a folder, and does not change that file', () => {
    const page = join(checkout.home, '.local/share/man');
    mkdirSync(dirname(page), { recursive: true });
    writeFileSync(page, '');
    checkout.replace('node', `#!/bin/sh\nexec "${process.execPath}" "$@"\n`);
    const run = checkout.run();
    expect([run.code, run.stderr]).toEqual([3, expect.stringContaining('man1/mempalace.1 cannot be made')]);
    expect(readlinkSync(join(checkout.bin, 'mempalace'))).toBe(join(checkout.root, 'bin/mempalace'));
    checkout.run(['--uninstall']);
    expect(existsSync(page)).toBe(true);
  });

  it('replaces the links of a deleted checkout and of another checkout', () => {
    mkdirSync(checkout.bin, { recursive: true });
    symlinkSync('/gone/checkout/bin/mempalace', join(checkout.bin, 'mempalace'));
    const other = createCheckout('other');
    symlinkSync(join(other.root, 'bin/mempalace-docs'), join(checkout.bin, 'mempalace-docs'));
    const run = checkout.run();
    other.remove();
    expect(run.code).toBe(0);
    expect(run.stdout).toContain('formerly to /gone/checkout/bin/mempalace');
    for (const name of ['mempalace', 'mempalace-docs']) {
      expect(readlinkSync(join(checkout.bin, name))).toBe(join(checkout.root, 'bin', name));
    }
  });

  it('--prefix creates links elsewhere, relative to the current folder', () => {
    checkout.replace('node', `#!/bin/sh\nexec "${process.execPath}" "$@"\n`);
    const run = checkout.run(['--prefix', 'my tools']);
    expect(run.code).toBe(0);
    expect(readdirSync(join(checkout.base, 'my tools', 'bin'))).toHaveLength(4);
    expect(readdirSync(join(checkout.base, 'my tools', 'share'))).toEqual(['fish', 'man']);
    expect(readdirSync(checkout.home)).toEqual(['.agents']);
  });
});

describe('a missing prerequisite is reported with a hint', () => {
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

  it('a compiler: npm’s output in full, the packages of each system, and no stamp', () => {
    const run = checkout.run([], { NPM_CI_SAYS: 'node_modules/better-sqlite3: gyp ERR! not found: make' });
    expect(run.code).toBe(1);
    expect(run.stderr).toContain('gyp ERR! not found: make');
    expect(run.stderr).toContain('Not found here: make g++ python3.');
    expect(run.stderr).toMatch(/Debian.*apt install[\s\S]*Fedora.*dnf install[\s\S]*macOS.*xcode-select/);
    checkout.forget();
    checkout.run();
    expect(checkout.npmCalls()[0]).toMatch(/^ci /);
  });

  it('another failure of npm is shown without hints about compilers', () => {
    const run = checkout.run([], { NPM_CI_SAYS: 'npm error network' });
    expect(run.code).toBe(1);
    expect(run.stderr).toContain('npm error network');
    expect(run.stderr).not.toContain('python3');
  });

  it('install scripts that npm skipped are run', () => {
    const run = checkout.run([], { NPM_SKIPS_SCRIPTS: 'once' });
    expect(run.code).toBe(0);
    expect(checkout.npmCalls()).toContain('rebuild better-sqlite3 --ignore-scripts=false --loglevel=error');
  });

  it('install scripts that npm always blocks end the run with the command that allows them', () => {
    const run = checkout.run([], { NPM_SKIPS_SCRIPTS: 'forever' });
    expect([run.code, run.stderr]).toEqual([1, expect.stringContaining('--allow-scripts=better-sqlite3')]);
  });

  it('a package without a build for this machine: its own error and a list of builds', () => {
    const run = checkout.run([], { ONNX_INDEX: 'throw new Error("no build for this machine")' });
    expect(run.code).toBe(1);
    expect(run.stderr).toMatch(/no build for this machine[\s\S]*onnxruntime-node does not load here/);
    expect(checkout.npmCalls().filter((call) => call.startsWith('rebuild'))).toEqual([]);
  });

  it.each([
    [['--bogus'], 'unknown argument: --bogus'],
    [['--prefix'], '--prefix needs a value'],
    [['--schedule', 'weekly'], '--schedule takes systemd, launchd, cron or none, not weekly'],
    [['--purge'], '--purge needs --uninstall'],
    [['--check', '--update'], '--check and --update exclude each other'],
    [['--uninstall', '--backfill'], '--uninstall takes neither --backfill'],
    [['--uninstall', '--purge'], 'it needs --yes'],
    [['--backfill', 'no such folder'], 'not a folder: no such folder'],
  ])('wrong usage %j exits with 2 before anything is done', (args, message) => {
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
    expect(run.code).toBe(0);
    expect(checkout.feederCalls()).toEqual([
      `mempalace-docs ${project}`,
      'mempalace-session --dry-run --json --limit 1 --since 1d',
      'mempalace-session',
    ]);
    expect(checkout.calls()).toContain(`mempalace projects add ${project} --quiet`);
  });

  it('without a folder files only the sessions, even if an option follows', () => {
    const run = checkout.run(['--backfill', '--prefix', join(checkout.base, 'p')]);
    expect(run.code).toBe(0);
    expect(checkout.feederCalls().filter((call) => call.startsWith('mempalace-docs'))).toEqual([]);
    expect(checkout.feederCalls()).toContain('mempalace-session');
  });

  it('a machine without sessions of agents gets a notice, not an error', () => {
    const run = checkout.run(['--backfill'], { NO_OPENCODE: '1', SESSION_EXIT: '1' });
    expect(run.code).toBe(0);
    expect(run.stdout).toContain('No agent has sessions on this machine');
    expect(run.stdout).toMatch(
      /^Next:\n {2}".+\/mempalace" setup .*\n {2}".+\/mempalace" search .*\n {2}".+\/mempalace" ui /m,
    );
    expect(checkout.calls().join('\n')).not.toMatch(/setup|schedule|projects/);
  });

  it.each([
    ['3', '0', 3, 'something was held back or could not be read'],
    ['1', '0', 1, 'mempalace-docs failed (exit 1)'],
    ['3', '11', 11, 'another run is using the palace'],
    ['1', '3', 1, 'mempalace-session is done, but'],
  ])('docs exit with %s, sessions with %s, and the script with %i', (docs, session, code, message) => {
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
  it('--help names every option and exit code, and changes nothing', () => {
    const run = checkout.run(['--help'], { HOME: undefined });
    expect(run.code).toBe(0);
    const options = ['--schedule', '--backfill', '--path', '--prefix', '--dry-run', '--check', '--update'];
    for (const word of [...options, '--uninstall', '--yes', '--purge', '--help', '11', '130'])
      expect(run.stdout).toContain(word);
    expect(checkout.npmCalls()).toEqual([]);
  });

  it.skipIf(!has('shellcheck'))('passes shellcheck (skipped without shellcheck)', () => {
    const run = runTool('shellcheck', ['-x', '-a', INSTALL, ...parts(), ciScript()]);
    expect([run.status, run.stdout]).toEqual([0, '']);
  });

  it.skipIf(!has('checkbashisms'))('is POSIX (skipped without checkbashisms)', () => {
    const run = runTool('checkbashisms', ['-f', INSTALL, ...parts(), ...launchers()]);
    const words = run.stderr.replace(/^script .* does not appear to have a #! interpreter line;\n.*\n/gm, '');
    expect(words).toBe('');
  });

  it.skipIf(!has('shfmt'))('passes shfmt (skipped without shfmt)', () => {
    const run = runTool('shfmt', ['-d', '-i', '2', INSTALL, ...parts(), ciScript()]);
    expect([run.status, run.stdout]).toEqual([0, '']);
  });
});

const ciScript = () => fileURLToPath(new URL('../../.ci/run', import.meta.url));
const below = (folder: string) => {
  const path = fileURLToPath(new URL(`../../${folder}`, import.meta.url));
  return readdirSync(path).map((name) => join(path, name));
};
const parts = () => [...below('scripts/install'), ...below('scripts').filter((path) => path.endsWith('.sh'))];
const launchers = () => below('bin');
