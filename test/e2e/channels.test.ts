import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { renamed } from '../../src/core/renamed.js';
import { ROUTES } from '../../src/rest/addresses.js';
import { palaceFile } from '../../src/store/index.js';
import { withBroker } from '../support/broker.js';
import { documents } from '../support/document-schemas.js';
import { argsOf, argumentsOf, exampleOf, queryOf, READING } from '../support/examples.js';
import { connected } from '../support/mcp-client.js';
import { filledMachine } from '../support/real-palace.js';
import { TestEnv } from '../support/test-env.js';

const COMMANDS = fileURLToPath(new URL('../../src/cli/commands', import.meta.url));

const machine = filledMachine([
  ['kg', 'add', 'shop', 'default_branch', 'main', '--from', '2026-03-01'],
  ['kg', 'add', 'shop', 'default_branch', 'trunk', '--from', '2026-04-01'],
  ['kg', 'add', 'shop', 'decision', 'Cookies are Lax.'],
  ['kg', 'add', 'garden', 'decision', 'Cookies are Lax.'],
  ['diary', 'write', '--agent', 'ada', 'The cookie is Lax now.'],
  ['task', 'add', 'Check the mobile app.'],
  ['collection', 'add', 'signing in', '--query', 'the sign-in cookie'],
  ['checkpoint', '--session', 'ses_0000000003ports', '--note', 'The port is documented next.'],
]);

/** Asks as the page of `mempalace ui` does: it alone may ask for what concerns the machine. */
async function asPage(env: TestEnv): Promise<(path: string) => Promise<unknown>> {
  const { origin, hash } = new URL(String((await env.json('mempalace', ['ui', '--no-open'])).url));
  const authorization = `Code ${hash.slice('#code='.length)}`;
  const session = await fetch(`${origin}/session`, { method: 'POST', headers: { authorization } });
  const { key } = Object(await session.json());
  const [cookie = ''] = (session.headers.get('set-cookie') ?? '').split(';');
  return async (path) =>
    (await fetch(`${origin}/api/v1${path}`, { headers: { cookie, 'x-mempalace-key': key } })).json();
}

/** Fields that change from one moment to the next. */
const OF_THE_MOMENT: Readonly<Record<string, readonly string[]>> = {
  search: ['recency'],
  collectionQuery: ['recency'],
  wakeUp: ['score'],
  status: ['bytes', 'clients'],
};
/** The same in the sentences of doctor: durations, sizes, clients. */
const FIGURES = /\d+\.\d (?:s|[kMG]B)\b|clients: \d+/g;

const masked = (name: string, document: unknown): unknown =>
  JSON.parse(JSON.stringify(document), (key, value) => {
    if (OF_THE_MOMENT[name]?.includes(key)) return 'masked';
    return name === '/doctor' && typeof value === 'string' ? value.replace(FIGURES, 'masked') : value;
  });

it('every operation that reads answers the same everywhere: command, named broker, address; and its tool answers', async () => {
  const { env, shop } = await machine();
  withBroker(env);
  await env.json('mempalace', ['projects', 'add', shop]);
  const get = await asPage(env);
  const { stdout: address } = await env.run('mempalace', ['broker', 'ensure']);
  const elsewhere = new TestEnv();
  elsewhere.env.MEMPALACE_BROKER = address;
  // In place of its folder, the palace of another machine has an address.
  const named = (document: unknown): unknown =>
    JSON.parse(JSON.stringify(document).replaceAll(address, env.palace));
  const agent = await connected(env, ['--tools', 'all']);
  const { hits } = documents.search.parse(await get('/search?q=cookie'));
  const before = readFileSync(palaceFile(env.palace));
  const schemas: Readonly<Record<string, { parse(value: unknown): unknown }>> = documents;
  const addresses = new Map(ROUTES.map(({ command, path }) => [command, path]));
  for (const [name, operation] of READING) {
    const input = exampleOf(name, hits[0]?.drawer_id ?? '');
    const args = argsOf(operation, input);
    const printed = await env.json('mempalace', args);
    expect.soft([name, schemas[operation.document ?? name]?.parse(printed)]).toEqual([name, printed]);
    const there = await elsewhere.json('mempalace', args);
    expect.soft([name, masked(name, named(there))]).toEqual([name, masked(name, named(printed))]);
    const path = addresses.get(`mempalace ${renamed(operation.name)}`);
    if (path !== undefined) {
      const answered = await get(`${path}?${queryOf(operation, input)}`);
      expect.soft([path, masked(name, answered)]).toEqual([path, masked(name, printed)]);
    }
    const tool = operation.tool?.name.replace('mempalace_', '');
    // Agents are spared fields; the answers are compared in test/mcp.
    const told = tool === undefined ? undefined : await agent.done(tool, argumentsOf(operation, input));
    if (told !== undefined) expect.soft([tool, Object.keys(told).length]).not.toEqual([tool, 0]);
    const wrong = await env.run('mempalace', [...operation.name.split(' '), '--colour', 'red']);
    expect.soft([name, wrong.exitCode, wrong.stdout]).toEqual([name, 2, '']);
  }
  expect(readFileSync(palaceFile(env.palace)).equals(before)).toBe(true);

  // What is not an operation, or whose usual answer at an address is not that of the command.
  const operations = new Set(READING.map(([, { name }]) => `mempalace ${renamed(name)}`));
  const others: Record<string, readonly [query: string, args: readonly string[]]> = {
    '/show': ['name=ses_0000000003ports', ['ses_0000000003ports']],
    // The broker is started with its palace.
    '/config': ['', ['--palace', env.palace]],
  };
  for (const { path, command } of ROUTES.filter(({ command }) => !operations.has(command))) {
    const [query, args] = others[path] ?? ['', []];
    const [program = '', ...words] = command.split(' ');
    const printed = await env.json(program, [...words, ...args]);
    const answered = await get(`${path}?${query}`);
    expect.soft([path, masked(path, answered)]).toEqual([path, masked(path, printed)]);
  }
  const shown = ['show', 'handbook.md'];
  expect(await elsewhere.json('mempalace', shown)).toEqual(await env.json('mempalace', shown));
  const exported = ['collection', 'export', 'signing in', '--format', 'json'];
  const [here, there] = await Promise.all([env, elsewhere].map((on) => on.run('mempalace', exported)));
  expect(there).toEqual(here);
  const files = readdirSync(COMMANDS, { recursive: true, encoding: 'utf8' }).filter((file) =>
    file.endsWith('.ts'),
  );
  const asking = files.filter((file) => readFileSync(join(COMMANDS, file), 'utf8').includes('withService('));
  const known = [
    ...READING.map(([, { name }]) => renamed(name).split(' ')[0]),
    'show',
    'forget',
    'hook',
    'summarise',
  ];
  expect(asking.filter((file) => !known.includes(file.split(/[./]/)[0]))).toEqual([]);
  expect(readFileSync(join(env.palace, 'broker.log'), 'utf8')).not.toContain('works by itself');
});
