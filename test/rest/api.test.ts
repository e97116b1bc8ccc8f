import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import type { Address } from '../../src/adapters/rest.js';
import { ACTIONS, type Asked, ROUTES } from '../../src/rest/addresses.js';
import { answers } from '../../src/rest/documents.js';
import { openApi } from '../../src/rest/openapi.js';
import { routeTable } from '../../src/rest/route-table.js';
import type { SqliteService } from '../../src/service/sqlite/index.js';
import { asking, LONG, TALK } from '../service/palace.js';
import { ask } from '../support/ask.js';
import { documents } from '../support/document-schemas.js';
import { api } from './filled-api.js';

/** A question that the filled palace answers, per route. */
const QUESTIONS: Record<string, string> = {
  '/search': '?q=zebra&links=true',
  '/timeline': '?id=ID',
  '/show': '?name=session:o:ses_1',
  '/kg/query': '?entity=zebra',
  '/file': '?file=gates.md',
  '/related': '?name=notes.md',
  '/checkpoint/show': '?name=session:o:ses_1',
  '/collection/show': '?name=animals',
  '/collection/query': '?name=animals&q=zebra',
};

async function question({ path }: Address<Asked>, service: SqliteService): Promise<string> {
  const { drawers } = await ask(service, 'listDrawers', { limit: 1 });
  return (QUESTIONS[path] ?? '').replace('ID', drawers[0]?.drawer_id ?? '');
}

it.each(['search?q=zebra', 'list/sources?', 'list/rooms?', 'list/days?', 'map?', 'wake-up?', 'diary?'])(
  '%s says that there is no such wing',
  async (address) => {
    const { get } = await api();
    const response = await get(`/${address}&wing=wing_aa`);
    const text = 'there is no wing "wing_aa" in this palace, did you mean wing_a? wings: ';
    expect([response.status, await response.json()]).toEqual([
      404,
      { error: { code: 'no-such-name', exit_code: 4, message: expect.stringContaining(text) } },
    ]);
  },
);

describe('every address', () => {
  it.each(ROUTES)('$path answers a document of $command', async (route) => {
    const { service, get } = await api();
    await ask(service, 'kgAdd', { subject: 'zebra', predicate: 'eats', object: 'grass' }, asking());
    await ask(service, 'collectionAdd', { name: 'animals', query: 'zebra' });
    await ask(service, 'taskAdd', { text: 'Oil the gate.' });
    const response = await get(route.path + (await question(route, service)));
    const document = await response.json();
    expect([response.status, document]).toEqual([200, expect.anything()]);
    expect(
      route.documents.map(
        (name) => answers[name] !== undefined && z.safeParse(answers[name], document).success,
      ),
    ).toContain(true);
    expect(Object.fromEntries(response.headers)).toMatchObject({
      'content-type': 'application/json; charset=utf-8',
      'cache-control': 'no-store',
      'x-content-type-options': 'nosniff',
    });
    expect([...response.headers.keys()].filter((name) => name.startsWith('access-control'))).toEqual([]);
  });

  it.each(ROUTES)('$path refuses what it does not take', async (route) => {
    const { get } = await api();
    const response = await get(`${route.path}?colour=red`);
    expect([response.status, documents.error.parse(await response.json()).error]).toMatchObject([
      400,
      { code: 'usage', exit_code: 2 },
    ]);
  });

  it('is described, in the page and by the server', async () => {
    const { json } = await api();
    const written = JSON.parse(readFileSync('docs/openapi.json', 'utf8'));
    expect(written).toEqual(openApi());
    expect(await json('/openapi.json')).toEqual(written);
    expect(Object.keys(written.paths)).toEqual([
      ...[...ROUTES, ...ACTIONS].map(({ path }) => path),
      '/events',
    ]);
    expect(readFileSync('docs/rest.md', 'utf8')).toContain(
      `<!-- routes -->\n${routeTable()}\n<!-- /routes -->`,
    );
  });
});

describe('a whole source', () => {
  it('is the whole text', async () => {
    const { json } = await api();
    expect(await json('/show?name=session:o:ses_1')).toMatchObject({ kind: 'source', text: TALK });
    expect((await json('/show?name=long.md')).text).toBe(LONG);
  });

  it('counts as opened, unless it is a preview', async () => {
    const { service } = await api();
    const opened: unknown[] = [];
    const listening = {
      ...service,
      ask: async (...given: Parameters<typeof service.ask>) => {
        const answer = await service.ask(...given);
        if (given[0].name === 'show') opened.push(Object(answer).opened.length);
        return answer;
      },
    };
    const { json } = await api({ service: listening });
    for (const more of ['', '&preview=true']) await json(`/show?name=long.md${more}`);
    expect(opened).toEqual([1, 0]);
  });

  it('is read as the client takes it, and no more once it has gone', async () => {
    const { service } = await api();
    let read = 0;
    const counting = {
      ...service,
      ask: (...given: Parameters<typeof service.ask>) => {
        if (given[0].name === 'show part') read += 1;
        return service.ask(...given);
      },
    };
    const { get: getCounted } = await api({ service: counting });
    const { body } = await getCounted('/show?name=long.md');
    const reader = body?.getReader();
    await reader?.read();
    await reader?.cancel();

    expect(read).toBeLessThan(3);
  });
});

describe('pages', () => {
  it('name the next one until the last', async () => {
    const { get } = await api();
    const seen: string[] = [];
    for (let path: string | undefined = '/list/sources?limit=2&wing='; path !== undefined; ) {
      const response = await get(path);
      const { sources } = documents.listSources.parse(await response.json());
      seen.push(...sources.map(({ source_key }) => source_key));
      const [, next] = /^<\/api\/v1(.+)>; rel="next"$/.exec(response.headers.get('link') ?? '') ?? [];
      path = next;
    }
    expect(new Set(seen).size).toBe(5);
    expect(seen.length).toBe(5);
  });
});

describe('an ETag', () => {
  it('is answered with 304 until something changes', async () => {
    const { service, get } = await api();
    const first = await get('/kg/stats');
    const headers = { 'if-none-match': first.headers.get('etag') ?? '' };
    const same = await get('/kg/stats', { headers });
    expect([same.status, await same.text()]).toEqual([304, '']);
    await ask(
      service,
      'kgAdd',
      { subject: 'gate', predicate: 'is', object: `shut ${Math.random()}` },
      asking(),
    );
    expect((await get('/kg/stats', { headers })).status).toBe(200);
  });
});

describe('a search', () => {
  it('excludes words by name, any number of them', async () => {
    const { get } = await api();
    const response = await get('/search?q=zebra+-it&not=stripes&not=two+words&not=');
    expect(await response.json()).toMatchObject({ query: 'zebra -it', excluded: ['stripes', 'two words'] });
  });

  it('takes a truth as a text', async () => {
    const { json } = await api();
    expect(await json('/search?q=zebra&links=true')).toMatchObject({ related: [] });
    expect((await json('/search?q=zebra&links=false')).related).toBeUndefined();
  });
});

describe('an error', () => {
  it.each([
    ['/nowhere', 404, 'not-found'],
    ['/show?name=nothing-of-that-name', 404, 'not-found'],
    ['/search', 400, 'usage'],
    ['/search?q=a&q=b', 400, 'usage'],
    ['/search?q=a&limit=0', 400, 'usage'],
    ['/search?q=a&since=never', 400, 'usage'],
  ])('%s is %i %s', async (path, status, code) => {
    const { get } = await api();
    const response = await get(path);
    expect([response.status, documents.error.parse(await response.json()).error.code]).toEqual([
      status,
      code,
    ]);
  });

  it('of our own is a bug, and says no more', async () => {
    const { get } = await api({ surroundings: () => Promise.reject(new Error('unforeseen')) });
    const response = await get('/status');
    expect([response.status, await response.json()]).toMatchObject([500, { error: { code: 'bug' } }]);
  });

  it('is the answer to every method that could write', async () => {
    const { get } = await api();
    for (const method of ['POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']) {
      const response = await get('/search?q=zebra', { method });
      expect([response.status, response.headers.get('allow')]).toEqual([405, 'GET, HEAD']);
    }
  });

  it.each(['/doctor', '/config', '/projects'])(
    'is the answer of %s to clients of other machines',
    async (path) => {
      const { get } = await api({ machine: undefined });
      expect((await get(path)).status).toBe(404);
    },
  );
});
