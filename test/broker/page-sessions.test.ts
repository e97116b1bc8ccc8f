import { describe, expect, it } from 'vitest';
import { KEY_HEADER, PageSessions, SESSION_PATH } from '../../src/broker/page-sessions.js';

const HOST = '127.0.0.1:4000';
const DATA = '/api/v1/status';
const CLIENT = { name: 'page', readOnly: false };

/** Sessions whose clock is moved by hand. */
function opened() {
  let nowMs = 0;
  const page = new PageSessions(
    ({ path }) => (path === '/' ? new Response('page') : undefined),
    () => nowMs,
  );
  const ask = (path: string, headers: Record<string, string> = {}, method = 'GET') =>
    page.authenticate({ method, path, headers: new Headers({ host: HOST, ...headers }) });
  const statusOf = (...given: Parameters<typeof ask>) => {
    const answer = ask(...given);
    return answer instanceof Response ? answer.status : 'let in';
  };
  const exchange = (code: string, headers: Record<string, string> = {}) =>
    ask(SESSION_PATH, { authorization: `Code ${code}`, ...headers }, 'POST') as Response;
  /** What a browser has after it used a link. */
  const session = async (): Promise<Record<string, string>> => {
    const response = exchange(page.newCode(() => {}));
    const { key } = Object(await response.json());
    const [cookie = ''] = (response.headers.get('set-cookie') ?? '').split(';');
    return { cookie, [KEY_HEADER]: String(key) };
  };
  const wait = (ms: number): void => {
    nowMs += ms;
  };
  return { page, ask, statusOf, exchange, session, wait };
}

describe('a link', () => {
  it('lets one browser in, once', async () => {
    const { page, ask, exchange } = opened();
    const used: string[] = [];
    const code = page.newCode(() => used.push('code'));
    const first = exchange(code);
    expect([first.status, used]).toEqual([201, ['code']]);
    expect(first.headers.get('set-cookie')).toMatch(
      /^mempalace-[0-9a-f]{8}=[\w-]{43}; Path=\/; HttpOnly; SameSite=Strict$/,
    );
    expect([exchange(code).status, used]).toEqual([401, ['code']]);
    const { key } = Object(await first.json());
    const [cookie = ''] = (first.headers.get('set-cookie') ?? '').split(';');
    expect(ask(DATA, { cookie: `other=1; ${cookie}`, [KEY_HEADER]: key })).toEqual(CLIENT);
  });

  it('is worth nothing after five minutes, and neither is a guess', () => {
    const { page, exchange, wait } = opened();
    const code = page.newCode(() => {});
    expect([exchange('').status, exchange(`${code}x`).status, exchange(code.slice(1)).status]).toEqual([
      401, 401, 401,
    ]);
    wait(5 * 60_000 + 1);
    expect(exchange(code).status).toBe(401);
  });

  it('is not used up by a page of another origin', () => {
    const { page, exchange } = opened();
    const code = page.newCode(() => {});
    expect(exchange(code, { origin: 'http://127.0.0.1:9' }).status).toBe(403);
    expect(exchange(code, { origin: `http://${HOST}` }).status).toBe(201);
  });
});

describe('data', () => {
  it('needs the cookie and the key of one session', async () => {
    const { ask, statusOf, session } = opened();
    const [one, other] = [await session(), await session()];
    expect(ask(DATA, one)).toEqual(CLIENT);
    const { cookie = '', [KEY_HEADER]: key = '' } = one;
    const refused: Record<string, string>[] = [
      {},
      { cookie },
      { [KEY_HEADER]: key },
      { cookie, [KEY_HEADER]: '' },
      { ...other, cookie },
      { cookie: `${cookie}x`, [KEY_HEADER]: key },
    ];
    for (const headers of refused) expect(statusOf(DATA, headers)).toBe(401);
  });

  it.each<Record<string, string>>([
    { origin: 'http://evil.example' },
    { origin: 'null' },
    { origin: 'http://127.0.0.1:4001' },
    { origin: 'http://localhost:4000' },
    { origin: `https://${HOST}` },
    { 'sec-fetch-site': 'cross-site' },
    // Another port of this machine is the same site.
    { 'sec-fetch-site': 'same-site' },
    { 'sec-fetch-site': 'none' },
  ])('is refused to a page of another origin: %o', async (headers) => {
    const { statusOf, session } = opened();
    expect(statusOf(DATA, { ...(await session()), ...headers })).toBe(403);
  });

  it('is given to the page itself', async () => {
    const { statusOf, session } = opened();
    const own = { origin: `http://${HOST}`, 'sec-fetch-site': 'same-origin' };
    expect(statusOf(DATA, { ...(await session()), ...own }, 'POST')).toBe('let in');
  });
});

it('the files of the page are given to everybody, to read', () => {
  const { statusOf } = opened();
  expect([
    statusOf('/'),
    statusOf('/', { origin: 'http://evil.example' }),
    statusOf('/', {}, 'POST'),
  ]).toEqual([200, 200, 401]);
});

it('of many sessions the last sixteen are valid', async () => {
  const { statusOf, session } = opened();
  const all = [];
  for (let n = 0; n < 17; n++) all.push(await session());
  expect(all.map((each) => statusOf(DATA, each))).toEqual([401, ...Array(16).fill('let in')]);
});
