import { describe, expect, it } from 'vitest';
import { ROUTES } from '../../src/rest/routes/index.js';
import { withBroker } from '../support/broker.js';
import { documents } from '../support/document-schemas.js';
import { filledMachine } from '../support/real-palace.js';
import type { TestEnv } from '../support/test-env.js';

const machine = filledMachine();

/** The question to an address, and the arguments of the command that ask the same. */
type Question = readonly [query: string, args: readonly string[]];

/** Of addresses that need one, or whose usual answer is not that of the command. */
const questions = (palace: string, drawer: string): Record<string, Question> => ({
  '/search': ['q=cookie&limit=3&links=true', ['cookie', '--limit', '3', '--links', '--everywhere']],
  '/file': ['file=auth/session.ts', ['auth/session.ts']],
  '/timeline': [`id=${drawer}&radius=1`, [drawer, '--radius', '1']],
  '/show': ['name=ses_0000000003ports', ['ses_0000000003ports']],
  '/related': ['name=ses_0000000001login', ['ses_0000000001login']],
  '/wake-up': ['tokens=500&everywhere=true', ['--tokens', '500', '--everywhere']],
  // Without a limit, the address answers all days.
  '/list/days': ['limit=2', ['--limit', '2']],
  '/list/sources': ['limit=2&offset=1', ['--limit', '2', '--offset', '1']],
  // The broker is started with its palace.
  '/config': ['', ['--palace', palace]],
  '/kg/query': ['entity=shop&as_of=2026-03-15', ['shop', '--as-of', '2026-03-15']],
  '/kg/timeline': ['as_of=2026-03-15', ['--as-of', '2026-03-15']],
  '/checkpoint/show': ['name=ses_0000000003ports', ['ses_0000000003ports']],
  '/collection/show': ['name=signing+in', ['signing in']],
  '/collection/query': ['name=signing+in&q=cookie', ['signing in', 'cookie']],
});

/** Fields that change from one moment to the next. */
const OF_THE_MOMENT: Record<string, readonly string[]> = {
  '/search': ['recency'],
  '/collection/query': ['recency'],
  '/wake-up': ['score'],
  '/status': ['bytes', 'clients'],
};
/** The same in the sentences of doctor: durations, sizes, clients. */
const FIGURES = /\d+\.\d (?:s|[kMG]B)\b|clients: \d+/g;

function masked(path: string, document: unknown): unknown {
  const fields = OF_THE_MOMENT[path] ?? [];
  return JSON.parse(JSON.stringify(document), (key, value) => {
    if (fields.includes(key)) return 'masked';
    return path === '/doctor' && typeof value === 'string' ? value.replace(FIGURES, 'masked') : value;
  });
}

async function filled(): Promise<TestEnv> {
  const { env, shop } = await machine();
  withBroker(env);
  for (const args of [
    ['kg', 'add', 'shop', 'default_branch', 'main', '--from', '2026-03-01'],
    ['kg', 'add', 'shop', 'default_branch', 'trunk', '--from', '2026-04-01'],
    ['kg', 'add', 'shop', 'decision', 'Cookies are Lax.'],
    ['kg', 'add', 'garden', 'decision', 'Cookies are Lax.'],
    ['diary', 'write', '--agent', 'ada', 'The cookie is Lax now.'],
    ['task', 'add', 'Check the mobile app.'],
    ['collection', 'add', 'signing in', '--query', 'the sign-in cookie'],
    ['checkpoint', '--session', 'ses_0000000003ports', '--note', 'The port is documented next.'],
    ['projects', 'add', shop],
  ])
    await env.json('mempalace', args);
  return env;
}

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

describe('the addresses of the API', () => {
  it('answer what their commands print with --json', async () => {
    const env = await filled();
    const get = await asPage(env);
    const { hits } = documents.search.parse(await get('/search?q=cookie'));
    const asked = questions(env.palace, hits[0]?.drawer_id ?? '');
    for (const { path, command } of ROUTES) {
      const [query, args] = asked[path] ?? ['', []];
      const [program = '', ...words] = command.split(' ');
      const printed = await env.json(program, [...words, ...args]);
      const answered = await get(`${path}?${query}`);
      expect.soft([path, masked(path, answered)]).toEqual([path, masked(path, printed)]);
    }
  });
});
