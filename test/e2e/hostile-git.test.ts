import { execFileSync } from 'node:child_process';
import { existsSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import { it } from '../support/it-env.js';
import { has } from '../support/tools.js';

it.skipIf(!has('git'))('a program named in the configuration of a repository is not run', async ({ env }) => {
  const shop = env.project('shop', { 'README.md': '# Shop\n\nThe shop sells lamps.\n' });
  const run = join(env.home, 'was-run');
  const git = (...args: string[]) =>
    execFileSync('git', ['-C', shop, '-c', 'user.name=a', '-c', 'user.email=a@b', ...args], {
      env: { ...env.env, GIT_CONFIG_GLOBAL: '/dev/null' },
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
    }).trim();
  git('init', '-q');
  for (const message of ['one', 'two']) git('commit', '-q', '--allow-empty', '-m', message);
  // A partial clone without its first commit: git would fetch it with a program that the configuration names.
  const first = git('rev-parse', 'HEAD~1');
  for (const [key, value] of [
    ['core.repositoryformatversion', '1'],
    ['extensions.partialClone', 'origin'],
    ['remote.origin.promisor', 'true'],
    ['remote.origin.url', shop],
    ['remote.origin.uploadpack', `touch ${run}; false`],
    ['core.fsmonitor', `touch ${run}; false`],
    ['protocol.allow', 'always'],
    ['protocol.ext.allow', 'always'],
  ] as const)
    git('config', key, value);
  rmSync(join(shop, '.git/objects', first.slice(0, 2), first.slice(2)));
  for (const args of [[shop, '--dry-run'], [shop]]) {
    expect(await env.json('mempalace-docs', args)).toMatchObject({ new: 1 });
    expect(existsSync(run)).toBe(false);
  }
  // Plain git runs the program in this repository.
  expect(() => git('rev-list', '--max-parents=0', 'HEAD')).toThrow();
  expect(existsSync(run)).toBe(true);
});
