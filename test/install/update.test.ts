import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { CHANGED_LOCKFILE, createCheckout, has, runTool } from './checkout.js';

let checkout: ReturnType<typeof createCheckout>;
let upstream: string;

function git(cwd: string, ...args: string[]) {
  const who = ['-c', 'user.name=ada', '-c', 'user.email=ada@example.org', '-c', 'init.defaultBranch=main'];
  const run = runTool('git', [...who, ...args], { cwd });
  if (run.status !== 0) throw new Error(`git ${args.join(' ')}: ${run.stderr}`);
  return run.stdout.trim();
}

/** An upstream commit that the checkout does not have. */
function publish(file: string, text: string) {
  writeFileSync(join(upstream, file), text);
  git(upstream, 'add', '.');
  git(upstream, 'commit', '-qm', `change ${file}`);
}

describe.skipIf(!has('git'))('--update (skipped without git)', () => {
  beforeEach(() => {
    checkout = createCheckout();
    upstream = join(checkout.base, 'upstream');
    const path = runTool('sh', ['-c', 'command -v git']).stdout.trim();
    checkout.replace('git', `#!/bin/sh\nexec ${path} "$@"\n`);
    writeFileSync(join(checkout.root, '.gitignore'), 'node_modules/\ndist/\n.node-path\n.made-folders\n');
    git(checkout.root, 'init', '-q');
    git(checkout.root, 'add', '.');
    git(checkout.root, 'commit', '-qm', 'first');
    git(checkout.base, 'clone', '-q', checkout.root, upstream);
    git(checkout.root, 'remote', 'add', 'origin', upstream);
    git(checkout.root, 'fetch', '-q');
    git(checkout.root, 'branch', '-q', '--set-upstream-to=origin/main');
    checkout.run();
    checkout.forget();
  });
  afterEach(() => checkout.remove());

  it('pulls, runs the pulled install.sh, rebuilds, and opens the palace', () => {
    const script = readFileSync(join(upstream, 'install.sh'), 'utf8');
    publish('install.sh', script.replace('\nmain "$@"', '\necho "the new install.sh: $*"\nmain "$@"'));
    publish('sources', '2');
    const run = checkout.run(['--update', '--prefix', join(checkout.base, 'my tools'), '--backfill', '.']);
    expect(run.code).toBe(0);
    const [from, to] = [
      git(upstream, 'rev-parse', '--short', 'HEAD~2'),
      git(upstream, 'rev-parse', '--short', 'HEAD'),
    ];
    expect(run.stdout).toContain(`updated    the checkout, from ${from} to ${to} (2 commits)`);
    expect(run.stdout).toContain(
      `the new install.sh: --updated-from=${from} --prefix=${checkout.base}/my tools --backfill=`,
    );
    expect(run.stdout).toContain('unchanged  packages');
    expect(checkout.npmCalls()).toEqual(['build']);
    expect(run.stdout).toContain('current    the palace (if it was migrated, its folder backups');
    expect(checkout.calls()[0]).toBe('mempalace status --json');
    expect(checkout.calls().at(-1)).toBe('mempalace doctor');
  });

  it('a changed lockfile installs the packages again; nothing newer changes nothing', () => {
    publish('package-lock.json', CHANGED_LOCKFILE);
    checkout.run(['--update']);
    expect(checkout.npmCalls()[0]).toMatch(/^ci /);
    checkout.forget();
    const again = checkout.run(['--update']);
    expect([again.code, again.stdout]).toEqual([0, expect.stringContaining('unchanged  the checkout, at ')]);
    expect(checkout.npmCalls()).toEqual([]);
  });

  it('refuses a changed or diverged tree; nothing is pulled', () => {
    publish('sources', '2');
    writeFileSync(join(checkout.root, 'SKILL.md'), 'mine');
    const dirty = checkout.run(['--update']);
    expect([dirty.code, dirty.stderr]).toEqual([1, expect.stringContaining('has local changes')]);
    expect(dirty.stderr).toContain('M SKILL.md');
    git(checkout.root, 'commit', '-qam', 'mine');
    const apart = checkout.run(['--update']);
    expect([apart.code, apart.stderr]).toEqual([1, expect.stringContaining('git could not pull')]);
    expect(readFileSync(join(checkout.root, 'sources'), 'utf8')).toBe('1');
    expect(checkout.npmCalls()).toEqual([]);
  });

  it('a dry run does not pull', () => {
    publish('sources', '2');
    const before = checkout.snapshot();
    const run = checkout.run(['--update', '--dry-run']);
    expect([run.code, run.stdout]).toEqual([
      0,
      expect.stringContaining('would be pulled: the commits after'),
    ]);
    expect(checkout.snapshot()).toEqual(before);
  });

  it.each([
    ['{"error":{"code":"not-found"}}', '1', 0, 'skipped    the palace: not created yet', ''],
    ['{"error":{"code":"locked"}}', '11', 11, '', 'the palace could not be opened'],
  ])('a palace whose status says %s', (says, exit, code, stdout, stderr) => {
    const run = checkout.run(['--update'], { STATUS_SAYS: says, STATUS_EXIT: exit });
    expect([run.code, run.stdout, run.stderr]).toEqual([
      code,
      expect.stringContaining(stdout),
      expect.stringContaining(stderr),
    ]);
  });

  it('without git, or outside a git checkout, is an error', () => {
    checkout.replace('git', '#!/bin/sh\necho "fatal: not a git repository" >&2; exit 128\n');
    expect(checkout.run(['--update'])).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('is not a git checkout'),
    });
  });
});
