import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { execa } from 'execa';
import { expect, it } from 'vitest';
import { installedCopy, runFrom } from '../support/broken-install.js';
import { connected } from '../support/mcp-client.js';
import { turn } from '../support/talks.js';
import { TestEnv } from '../support/test-env.js';

it('tells an agent, and the log of hooks, how to restore a missing package', async () => {
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

it.each(['sqlite-vec', 'onnxruntime-node'])(
  '%s missing is no fault of sessions: they stay noted',
  async (name) => {
    const root = installedCopy({ missing: [name] });
    const env = new TestEnv();
    const folder = env.project('talks', {
      'talk-1.jsonl': turn('user', 'Which port?') + turn('assistant', '8443.'),
    });
    const entry = {
      harness: 'codex',
      session_id: 'talk-1',
      path: join(folder, 'talk-1.jsonl'),
      offset: 1,
      tries: 2,
    };
    env.project('.mempalace/palace/hooks/queue', { 'a.json': JSON.stringify(entry) });
    const { stderr, exitCode } = await runFrom(root, env, ['hook', 'flush']);
    expect([exitCode, stderr]).toEqual([1, expect.stringContaining('run ./install.sh')]);
    const { filed } = JSON.parse((await env.run('mempalace', ['hook', 'flush', '--json'])).stdout);
    expect(filed).toBe(1);
  },
);
