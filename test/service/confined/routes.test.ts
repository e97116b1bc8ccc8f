import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Address } from '../../../src/adapters/rest.js';
import { ACTIONS, type Asked as By, ROUTES } from '../../../src/rest/addresses.js';
import { ROOT } from '../../../src/rest/api.js';
import type { Client } from '../../../src/rest/host.js';
import type { SqliteService } from '../../../src/service/sqlite/index.js';
import { api } from '../../rest/filled-api.js';
import { attacks, attacksOn, type Ids, operationOf } from './attacks.js';
import { idsOfOther, MARK, OTHER, OWN, openTwoWings } from './two-wings.js';

const CLIENT: Client = { name: 'ada', readOnly: false, wing: OWN };
const OWNER: Client = { name: 'ada', readOnly: false };

type Asked = Record<string, unknown>;
type Query = Record<string, string>;

/** What somebody sends to an address who wants to know or to change something of the other wing. */
function sent(ids: Ids, { command, inWing = false }: Address<By>, { shape }: { shape: object }): Asked[] {
  const [name, operation] = operationOf(command) ?? [];
  // Those that are not for a client of one wing refuse it before they read what it asks.
  if (!inWing || name === undefined || operation === undefined) return [{}];
  return attacksOn(operation, attacks(ids)[name], shape, ({ address }) => address);
}

/** An answer may say again which wing and room were named, in its sentences and in the address of the next page. */
const withoutEcho = (said: string, { wing = '', room = '' }: Query): string =>
  [wing, room].reduce((text, name) => (name === '' ? text : text.replaceAll(name, '')), said);

const textsOf = (asked: Asked): Query =>
  Object.fromEntries(Object.entries(asked).map(([name, value]) => [name, String(value)]));

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
    const asked: [string, Query[]][] = ROUTES.map((route) => [
      route.path,
      sent(ids, route, route.takes).map(textsOf),
    ]);
    for (const path of ['/events', '/openapi.json', '/nothing']) asked.push([path, [{}]]);
    for (const [path, all] of asked)
      for (const query of all)
        for (const method of ['GET', 'HEAD']) {
          const { status, said } = await get(CLIENT, path, query, { method });
          const about = `${path} ${JSON.stringify(query)} ${status}: ${said}`;
          expect(status, about).not.toBe(500);
          expect(withoutEcho(said, query), about).not.toContain(MARK);
        }
    for (const action of ACTIONS)
      for (const body of sent(ids, action, action.takes)) {
        const { status, said } = await post(CLIENT, action.path, body);
        expect(status, `${action.path}: ${said}`).not.toBe(500);
        expect(said, action.path).not.toContain(MARK);
      }
  });

  it('refuses by default: an address answers only if it says that it may', async () => {
    for (const route of ROUTES) {
      const { path, inWing = false } = route;
      const statuses = new Set<number>();
      for (const query of sent(ids, route, route.takes))
        statuses.add((await get(CLIENT, path, textsOf(query))).status);
      if (!inWing) expect([path, [...statuses]]).toEqual([path, [403]]);
      // Nothing of the other wing's checkpoints, nor of its drawers.
      else if (!['/timeline', '/checkpoint/show'].includes(path))
        expect([path, statuses.has(200)]).toEqual([path, true]);
    }
    expect((await get(CLIENT, '/events', {})).status).toBe(403);
    for (const { path, inWing = false } of ACTIONS)
      if (!inWing) expect([path, (await post(CLIENT, path, {})).status]).toEqual([path, 403]);
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
