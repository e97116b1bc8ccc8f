import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, it } from 'vitest';
import { withBroker } from '../support/broker.js';
import { schemas } from '../support/json-schemas.js';
import { connected } from '../support/mcp-client.js';
import { TestEnv } from '../support/test-env.js';

const logOf = async (env: TestEnv, ...args: string[]) =>
  schemas.log.parse(await env.json('mempalace', ['log', ...args]));

it('mempalace log shows the last lines of all logs, newest first', async () => {
  const env = withBroker(new TestEnv());
  const empty = await env.run('mempalace', ['log']);
  expect([empty.exitCode, empty.stderr]).toEqual([0, expect.stringContaining('no matching lines in ')]);
  const { client } = await connected(env, ['--agent', 'ada']);
  const [wing, room, content] = ['wing_a', 'notes', 'The heron comes at dawn.'];
  await client.callTool({ name: 'mempalace_add_drawer', arguments: { wing, room, content } });
  await client.callTool({
    name: 'mempalace_kg_add',
    arguments: { subject: 'a', predicate: 'b', object: 'c' },
  });
  await client.close();
  await env.json('mempalace', ['broker', 'ensure']);
  const hooks = join(env.palace, 'hooks', 'hooks.log');
  mkdirSync(dirname(hooks), { recursive: true });
  writeFileSync(`${hooks}.1`, '2026-01-02T03:04:05.678Z warn mempalace hook flush[7]: older\n');
  writeFileSync(
    hooks,
    '2026-01-02T03:04:06.678Z info mempalace hook flush[7]: \u001b[31mnewer\nnot a line\n',
  );
  const all = await logOf(env);
  expect(all.logs.map(({ log, exists }) => [log, exists])).toEqual([
    ['broker', true],
    ['hooks', true],
    ['writes', true],
  ]);
  const times = all.entries.map(({ time }) => time);
  expect(times).toEqual([...times].sort().reverse());
  expect(all.entries.slice(-2)).toMatchObject([
    { log: 'hooks', level: 'info', by: 'mempalace hook flush' },
    { log: 'hooks', level: 'warn', text: 'older' },
  ]);
  const writes = await logOf(env, '--of', 'writes');
  expect(writes.entries.map(({ by, text }) => [by, text.split(':')[0]])).toEqual([
    ['ada', 'mempalace_kg_add'],
    ['ada', 'mempalace_add_drawer'],
  ]);
  expect((await logOf(env, '--limit', '1', '--of', 'hooks')).entries).toMatchObject([{ level: 'info' }]);
  expect((await logOf(env, '--level', 'warn', '--of', 'hooks')).entries).toMatchObject([{ text: 'older' }]);
  const { stdout } = await env.run('mempalace', ['log', '--of', 'hooks']);
  expect(stdout).toBe(
    [
      '2026-01-02T03:04:06Z info  hooks    │ mempalace hook flush: �[31mnewer',
      '2026-01-02T03:04:05Z warn  hooks    │ mempalace hook flush: older',
    ].join('\n'),
  );
});

it('mempalace log reads the file that MEMPALACE_LOG_FILE names', async () => {
  const env = new TestEnv();
  const MEMPALACE_LOG_FILE = join(env.home, 'own.log');
  await env.run('mempalace', ['doctor'], { MEMPALACE_LOG_FILE });
  const { stdout } = await env.run('mempalace', ['log', '--of', 'programs', '--json'], {
    MEMPALACE_LOG_FILE,
  });
  const { entries, logs } = schemas.log.parse(JSON.parse(stdout));
  expect(logs).toContainEqual({ log: 'programs', path: MEMPALACE_LOG_FILE, exists: true });
  expect(entries.map(({ by, text }) => `${by}: ${text}`)).toContain('mempalace doctor: begins');
  expect(readFileSync(MEMPALACE_LOG_FILE, 'utf8')).toContain('mempalace log');
});
