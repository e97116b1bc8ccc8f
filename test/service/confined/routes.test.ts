import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ACTIONS } from '../../../src/rest/actions/index.js';
import { ROOT } from '../../../src/rest/api.js';
import type { Client } from '../../../src/rest/route.js';
import { ROUTES } from '../../../src/rest/routes/index.js';
import type { SqliteService } from '../../../src/service/sqlite/index.js';
import { api } from '../../rest/filled-api.js';
import { idsOfOther, MARK, OTHER, OWN, openTwoWings } from './two-wings.js';

const CLIENT: Client = { name: 'ada', readOnly: false, wing: OWN };
const OWNER: Client = { name: 'ada', readOnly: false };

type Query = Record<string, string>;
type Ids = Awaited<ReturnType<typeof idsOfOther>>;

/** Queries for each address that reads. */
function queries({ drawers }: Ids): Record<string, Query[]> {
  const names = [...drawers, 'doc:q/README.md', 'ses_other', 'README.md', 'plans.md', 'nothing.md'];
  const page = { limit: '100' };
  return {
    '/search': (
      [{}, { wing: OTHER }, { source: '*' }, { session: 'ses_other' }, { type: 'document' }] as Query[]
    ).flatMap((given) =>
      ['lamp', '"lamp red"', 'nothing'].flatMap((q) => [
        { q, ...given, links: 'true' },
        { q, ...given, cold: 'true', directory: '/own', by: 'drawer', limit: '50', offset: '1' },
      ]),
    ),
    '/file': [{ file: 'lamp.ts' }],
    '/timeline': drawers.map((id) => ({ id, radius: '100' })),
    '/show': names.map((name) => ({ name, radius: '100' })),
    '/related': names.map((name) => ({ name })),
    '/wake-up': [{}, { wing: OTHER }, { folder: '/own' }, { agent: 'pi', tokens: '9999' }],
    '/list/wings': [{}, { limit: '1' }],
    '/list/rooms': [{}, { wing: OTHER }, { limit: '1' }],
    '/list/days': [{}, { wing: OTHER }],
    '/map': [{}, { wing: OTHER }],
    '/list/sources': [page, { wing: OTHER }, { limit: '1', offset: '1' }, { priority: 'high' }],
    '/metabolism': [{}],
    '/list/runs': [page],
    '/status': [{}],
    '/doctor': [{}],
    '/config': [{}],
    '/projects': [{}],
    '/schedule': [{}],
    '/log': [{}],
    '/kg/query': [{ entity: 'lamps' }],
    '/kg/timeline': [page],
    '/kg/stats': [{}],
    '/diary': [page, { agent: 'pi' }, { wing: OTHER }],
    '/conflicts': [{}],
    '/patterns': [page, { directory: '/own' }],
    '/checkpoint/list': [page, { session: 'ses_other' }],
    '/checkpoint/show': [{ name: 'ses_other' }, { name: 'checkpoint:session:o:ses_other/end.md' }],
    '/collection/list': [{}],
    '/collection/show': [{ name: `${MARK} lamps` }],
    '/collection/query': [{ name: `${MARK} lamps`, q: 'lamp' }],
    '/task/list': [page, { all: 'true' }],
    '/events': [{}],
  };
}

/** Bodies for each address that writes. */
function bodies({ drawers, facts: [fact = '', other = ''] }: Ids): Record<string, object[]> {
  return {
    '/forget/preview': [{ wing: OTHER }, { session: 'ses_other' }, { source: 'doc:q/README.md' }],
    '/forget': [{ wing: OTHER, preview: 'x' }],
    '/set': [...drawers, 'doc:q/README.md', 'ses_other', 'README.md'].map((name) => ({
      name,
      pinned: false,
    })),
    '/collection': [{ name: 'mine', filter: { wing: OTHER }, add: drawers }],
    '/collection/drop': [{ name: `${MARK} lamps` }],
    '/kg/resolve': [{ facts: [fact, other], keep: fact, because: 'so' }],
    '/task/add': [{ text: 'Light it.' }],
    '/task/take': [{ agent: 'pi' }],
    '/task/done': [{ id: 1 }],
    '/task/drop': [{ id: 1 }],
    '/run/docs': [{ project: '/shop' }],
    '/run/session': [{}],
    '/config/set': [{ key: 'search.limit', value: '8' }],
    '/config/unset': [{ key: 'search.limit' }],
    '/metabolism/apply': [{ id: 'constitution-1f0c8a2e' }],
  };
}

describe('the REST interface for a client that is confined to a wing', () => {
  let service: SqliteService;
  let ids: Ids;
  let answer: Awaited<ReturnType<typeof api>>['answer'];
  beforeEach(async () => {
    const { palace } = await openTwoWings();
    service = palace;
    ids = await idsOfOther(palace);
    const served = await api({ service });
    served.live.send = () => {};
    answer = served.answer;
  });
  afterEach(() => service.close());

  const ask = async (client: Client, path: string, init: RequestInit = {}) => {
    const response = await answer(new Request(`http://localhost${ROOT}${path}`, init), client);
    const isStream = response.headers.get('content-type')?.startsWith('text/event-stream') === true;
    const body = isStream ? '' : await response.text();
    if (isStream) await response.body?.cancel();
    return { status: response.status, said: body + JSON.stringify([...response.headers]), body };
  };
  const get = (client: Client, path: string, query: Record<string, string>, init: RequestInit = {}) =>
    ask(client, `${path}?${new URLSearchParams(query)}`, init);
  const post = (client: Client, path: string, body: object, headers: Record<string, string> = {}) =>
    ask(client, path, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: JSON.stringify(body),
    });

  it('tells nothing of another wing, in no body and no header', async () => {
    const asked: Record<string, Query[]> = { ...queries(ids), '/openapi.json': [{}], '/nothing': [{}] };
    expect(Object.keys(asked)).toEqual(expect.arrayContaining(ROUTES.map(({ path }) => path)));
    for (const [path, all] of Object.entries(asked))
      for (const query of all)
        for (const method of ['GET', 'HEAD']) {
          const { status, said } = await get(CLIENT, path, query, { method });
          const about = `${path} ${JSON.stringify(query)} ${status}: ${said}`;
          expect(status, about).not.toBe(500);
          // The address is said again where more of a list can be asked for.
          expect(said.replaceAll(OTHER, query.wing === OTHER ? '' : OTHER), about).not.toContain(MARK);
        }
    const given = bodies(ids);
    expect(Object.keys(given).sort()).toEqual(ACTIONS.map(({ path }) => path).sort());
    for (const [path, all] of Object.entries(given))
      for (const body of all) {
        const { status, said } = await post(CLIENT, path, body);
        expect(status, `${path}: ${said}`).not.toBe(500);
        expect(said, path).not.toContain(MARK);
      }
  });

  it('refuses by default: an address answers only if it says that it may', async () => {
    const asked = queries(ids);
    for (const { path, inWing = false } of ROUTES)
      for (const query of asked[path] ?? []) {
        const { status } = await get(CLIENT, path, query);
        if (!inWing) expect([path, status]).toEqual([path, 403]);
      }
    const open = ROUTES.filter(({ inWing }) => inWing).map(({ path }) => path);
    for (const path of open) {
      const statuses = await Promise.all(
        (asked[path] ?? []).map(async (query) => (await get(CLIENT, path, query)).status),
      );
      // Nothing of the other wing's checkpoints, nor of its drawers.
      if (!['/timeline', '/checkpoint/show'].includes(path))
        expect([path, statuses]).toEqual([path, expect.arrayContaining([200])]);
    }
    expect((await get(CLIENT, '/events', {})).status).toBe(403);
    for (const { path, inWing = false } of ACTIONS)
      if (!inWing)
        for (const body of bodies(ids)[path] ?? []) expect((await post(CLIENT, path, body)).status).toBe(403);
  });

  it('says the same of what is elsewhere as of what is nowhere', async () => {
    const [there = ''] = ids.drawers;
    const nowhere = 'drawer_0123456789abcdef01234567';
    for (const path of ['/show?name=', '/timeline?id=']) {
      const [one, other] = [await ask(CLIENT, path + there), await ask(CLIENT, path + nowhere)];
      expect([one.status, one.body.replaceAll(there, 'x')]).toEqual([
        404,
        other.body.replaceAll(nowhere, 'x'),
      ]);
    }
    const [one, other] = [
      await get(CLIENT, '/list/sources', { wing: OTHER }),
      await get(CLIENT, '/list/sources', { wing: 'no' }),
    ];
    expect(one).toEqual(other);
    expect(one.status).toBe(403);
  });

  it('does not repeat to it what a former token of its name has done', async () => {
    const headers = { 'idempotency-key': 'once' };
    const body = { name: 'doc:q/README.md', pinned: true };
    expect((await post(OWNER, '/set', body, headers)).said).toContain(MARK);
    const again = await post(CLIENT, '/set', body, headers);
    expect([again.status, again.said.includes(MARK)]).toEqual([404, false]);
  });

  it('does not confirm a tag of an answer that others got', async () => {
    const whole = await answer(new Request(`http://localhost${ROOT}/list/wings`), OWNER);
    const tag = whole.headers.get('etag') ?? '';
    const own = await get(CLIENT, '/list/wings', {}, { headers: { 'if-none-match': tag } });
    expect([tag === '', own.status]).toEqual([false, 200]);
  });

  it('changes in the wing, unless it may only read', async () => {
    expect((await post(CLIENT, '/set', { name: 'README.md', pinned: true })).status).toBe(200);
    const reader = { ...CLIENT, readOnly: true };
    expect((await post(reader, '/set', { name: 'README.md', pinned: false })).status).toBe(403);
    expect((await get(reader, '/list/sources', {})).status).toBe(200);
  });
});
