import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { execa } from 'execa';
import { expect, it } from 'vitest';
import { installedCopy } from '../support/broken-install.js';
import { connected } from '../support/mcp-client.js';
import { TestEnv } from '../support/test-env.js';

it('tells an agent, and the log of hooks, what brings a missing package back', async () => {
  const root = installedCopy({ missing: ['better-sqlite3'] });
  const env = new TestEnv();
  env.project('.mempalace/palace', { 'palace.sqlite3': '' });
  env.argv = (program) => [join(root, 'bin', program)];
  const { refused } = await connected(env);
  expect(await refused('status')).toMatchObject({
    code: 'failed',
    error: expect.stringMatching(/^a package is missing: /),
    hint: expect.stringContaining('run ./install.sh'),
  });
  const hook = ['hook', 'run', '--hook', 'session-start', '--harness', 'claude-code'];
  const { stdout } = await execa(process.execPath, [...env.argv('mempalace'), ...hook], {
    env: env.env,
    extendEnv: false,
    input: '{}',
  });
  expect(stdout).toBe('{}');
  expect(readFileSync(join(env.palace, 'hooks', 'hooks.log'), 'utf8')).toMatch(
    /wake-up: a package is missing: .*run \.\/install\.sh/,
  );
});
