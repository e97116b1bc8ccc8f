import { expect } from 'vitest';
import { it } from '../support/it-env.js';
import { connected } from '../support/mcp-client.js';

/** Every command that takes a wing as a filter. */
const COMMANDS: string[][] = [
  ['scrub'],
  ['scrub', '--dry-run'],
  ['search', 'zebra'],
  ['search', 'zebra', '--quiet'],
  ['list', 'sources'],
  ['list', 'rooms'],
  ['list', 'days'],
  ['map'],
  ['wake-up'],
  ['verify'],
  ['export', '--to', 'never'],
  ['forget', '--yes'],
  ['diary', 'read'],
  ['collection', 'add', 'mine', '--query', 'zebra'],
];

it('a wing that does not exist is an error of every command, and changes nothing', async ({ env }) => {
  await env.json('mempalace-docs', [env.project('office', { 'a.md': '# Zebra\n\nA zebra sleeps.\n' })]);
  const said: Record<string, unknown> = {};
  for (const command of COMMANDS) {
    const { exitCode, stdout, stderr } = await env.run('mempalace', [
      ...command,
      '--wing',
      'wing_ofice',
      '--json',
    ]);
    expect(stdout).toBe('');
    const { error } = JSON.parse(stderr.split('\n').at(-1) ?? '');
    said[command.join(' ')] = [exitCode, error.exit_code, error.message];
  }
  const text = 'there is no wing "wing_ofice" in this palace, did you mean wing_office? wings: wing_office';
  expect(said).toEqual(Object.fromEntries(COMMANDS.map((command) => [command.join(' '), [4, 4, text]])));
  expect((await env.run('mempalace', ['collection', 'list'])).stdout).toBe('');

  const type = await env.run('mempalace', ['list', 'sources', '--type', 'nonsense']);
  expect(type).toMatchObject({ exitCode: 4, stdout: '' });
  expect(type.stderr).toMatch(/^error: there is no type "nonsense" in this palace; types: document, /);
  expect((await env.run('mempalace', ['list', 'sources', '--type', 'diary'])).exitCode).toBe(0);
  const { refused } = await connected(env, ['--tools', 'all']);
  for (const [tool, more] of Object.entries({
    search: { query: 'zebra' },
    list_rooms: {},
    list_drawers: {},
    wake_up: {},
  }))
    expect(await refused(tool, { wing: 'wing_ofice', ...more })).toMatchObject({
      code: 'no-such-name',
      error: text,
    });
  // A wing is made by writing into it.
  expect(
    (await env.run('mempalace', ['diary', 'write', '--agent', 'ann', 'hello', '--wing', 'wing_new']))
      .exitCode,
  ).toBe(0);
}, 120_000);
