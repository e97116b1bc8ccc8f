import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { defaultSettings } from '../../src/config/settings.js';
import { PAGE_SETTINGS } from '../../src/config/table.js';
import { ACTIONS } from '../../src/rest/addresses.js';
import { ROOT } from '../../src/rest/api.js';
import { answers } from '../../src/rest/documents.js';
import type { RestHost } from '../../src/rest/host.js';
import { asking } from '../service/palace.js';
import { ask } from '../support/ask.js';
import { CLIENT, api as filledApi } from './filled-api.js';

async function api(changes: Partial<RestHost> = {}) {
  const filled = await filledApi(changes);
  const send = async (path: string, init: RequestInit, client = CLIENT) => {
    const request = new Request(`http://localhost${ROOT}${path}`, { method: 'POST', ...init });
    const response = await filled.answer(request, client);
    return { status: response.status, body: Object(await response.json()) };
  };
  const post = (path: string, body: unknown, headers: Record<string, string> = {}, client = CLIENT) =>
    send(path, jsonOf(body, headers), client);
  return { ...filled, send, post };
}

const jsonOf = (body: unknown, headers: Record<string, string> = {}): RequestInit => ({
  body: JSON.stringify(body),
  headers: { 'content-type': 'application/json; charset=utf-8', ...headers },
});

type Api = Awaited<ReturnType<typeof api>>;

async function conflict({ service }: Api): Promise<[string, string]> {
  const add = async (object: string) => {
    const { fact } = await ask(service, 'kgAdd', { subject: 'gate', predicate: 'is', object }, asking());
    return fact.triple_id;
  };
  return [await add('open'), await add('shut')];
}

/** A request that the filled palace answers, per action. */
const REQUESTS: Record<string, (filled: Api) => Promise<Record<string, unknown>>> = {
  '/config/set': async () => ({ key: 'search.limit', value: '8' }),
  '/config/unset': async () => ({ key: 'search.limit' }),
  '/metabolism/apply': async () => ({ id: 'constitution-1f0c8a2e' }),
  '/forget/preview': async () => ({ source: 'gates.md' }),
  '/forget': async ({ post }) => {
    const { body } = await post('/forget/preview', { source: 'gates.md' });
    return { source: 'gates.md', preview: body.preview };
  },
  '/set': async () => ({ name: 'gates.md', pinned: true, priority: 'high' }),
  '/collection': async () => ({ name: 'gates', query: 'gates', filter: { wing: 'wing_a' } }),
  '/collection/drop': async ({ post }) => {
    await post('/collection', { name: 'gates', query: 'gates' });
    return { name: 'gates' };
  },
  '/kg/resolve': async (filled) => {
    const facts = await conflict(filled);
    return { facts, keep: facts[1], because: 'I looked.' };
  },
  '/run/docs': async () => ({ project: '/shop' }),
  '/run/session': async () => ({}),
  '/task/add': async () => ({ text: 'Oil the gate.' }),
  '/task/take': async () => ({ agent: 'ada' }),
  '/task/done': async ({ post }) => ({ id: (await post('/task/add', { text: 'Oil it.' })).body.task.id }),
  '/task/drop': async ({ post }) => ({ id: (await post('/task/add', { text: 'Oil it.' })).body.task.id }),
};

describe('every address that takes POST', () => {
  it.each(ACTIONS)('$path answers a document of $command, and is a line of the write log', async (action) => {
    const filled = await api();
    const { post, log } = filled;
    const given = await REQUESTS[action.path]?.(filled);
    log.length = 0;
    const { status, body } = await post(action.path, given);
    expect([status, body]).toEqual([200, expect.anything()]);
    expect(action.documents.map((name) => z.safeParse(answers[name] ?? z.never(), body).success)).toContain(
      true,
    );
    const entry = { agent: 'tester', client: 'rest', tool: `POST ${action.path}`, ok: true };
    expect(log).toEqual(action.reads === true ? [] : [expect.objectContaining(entry)]);
  });

  it.each(ACTIONS)('$path refuses what it does not take, and everything but JSON', async ({ path }) => {
    const { post, send, log } = await api();
    const usage = (status: number) => ({ status, body: { error: { code: 'usage', exit_code: 2 } } });
    expect(await post(path, { colour: 'red' })).toMatchObject(usage(400));
    expect(await post(path, [])).toMatchObject(usage(400));
    expect(await send(path, { ...jsonOf({}), body: '{' })).toMatchObject(usage(400));
    expect(await send(path, { body: '{}' })).toMatchObject(usage(415));
    expect(await send(path, { body: new URLSearchParams({ name: 'x' }) })).toMatchObject(usage(415));
    expect(await post(path, { name: 'x'.repeat(300_000) })).toMatchObject(usage(413));
    expect(await send(path, { method: 'GET' })).toMatchObject(usage(405));
    expect(log).toEqual([]);
  });

  it.each(ACTIONS.filter(({ reads }) => reads !== true))(
    '$path is not for clients that may only read',
    async ({ path }) => {
      const filled = await api();
      const given = await REQUESTS[path]?.(filled);
      filled.log.length = 0;
      const { status, body } = await filled.post(path, given, {}, { name: 'eve', readOnly: true });
      expect([status, body]).toMatchObject([403, { error: { code: 'usage' } }]);
      expect(filled.log).toEqual([]);
    },
  );
});

describe('an Idempotency-Key', () => {
  const key = (name: string) => ({ 'idempotency-key': name });

  it('makes of the same request one deed and one answer, also while the first goes on', async () => {
    const { post, service, log } = await api();
    const task = { text: 'Oil the gate.' };
    const answers = await Promise.all([1, 2, 3].map(() => post('/task/add', task, key('a'))));
    answers.push(await post('/task/add', task, key('a')));
    expect(new Set(answers.map((answer) => JSON.stringify(answer))).size).toBe(1);
    const listed = () => ask(service, 'taskList', {});
    expect((await listed()).total).toBe(1);
    expect(log.length).toBe(1);
    await post('/task/add', task, key('b'));
    await post('/task/add', task, key('a'), { name: 'another', readOnly: false });
    await post('/task/add', task);
    expect((await listed()).total).toBe(4);
  });

  it('of another request is refused, and so is a malformed one', async () => {
    const { post, service } = await api();
    await post('/task/add', { text: 'Oil the gate.' }, key('a'));
    const other = await post('/task/add', { text: 'Paint the gate.' }, key('a'));
    expect(other).toMatchObject({ status: 422, body: { error: { code: 'usage' } } });
    expect(await post('/set', { name: 'gates.md', pinned: true }, key('a'))).toMatchObject({ status: 422 });
    expect((await post('/task/add', { text: 'x' }, key('x'.repeat(201)))).status).toBe(400);
    expect((await ask(service, 'taskList', {})).total).toBe(1);
  });

  it('is free again after an error', async () => {
    const { post, log } = await api();
    expect((await post('/task/done', { id: 1 }, key('a'))).status).toBe(404);
    await post('/task/add', { text: 'Oil the gate.' });
    expect((await post('/task/done', { id: 1 }, key('a'))).status).toBe(200);
    expect(log).toMatchObject([{ ok: false, error: 'not-found' }, { ok: true }, { ok: true }]);
  });
});

describe('forgetting', () => {
  it('erases what the preview showed, and nothing when that is not so any more', async () => {
    const { post, service } = await api();
    const seen = await post('/forget/preview', { source: 'gates.md' });
    expect(seen.body).toMatchObject({ sources: [{ title: 'Gates' }], drawers_removed: 1, staged_removed: 2 });
    const { drawers } = await ask(service, 'listDrawers', {});
    const gates = drawers.filter(({ text }) => text.startsWith('Gates')).map(({ drawer_id }) => drawer_id);
    await ask(service, 'collectionAdd', { name: 'farm', add: gates });
    const asked = { source: 'gates.md', preview: seen.body.preview };
    expect(await post('/forget', asked)).toMatchObject({ status: 409, body: { error: { code: 'changed' } } });
    const again = await post('/forget/preview', { source: 'gates.md' });
    expect(again.body.collections).toEqual(['farm']);
    const done = await post('/forget', { ...asked, preview: again.body.preview });
    expect(done).toMatchObject({ status: 200, body: { drawers_removed: 1 } });
    const empty = await post('/forget/preview', { source: 'gates.md' });
    expect(empty).toMatchObject({ status: 200, body: { sources: [], drawers_removed: 0 } });
  });

  it('goes on when its client leaves, and tells a client that comes back with its key', async () => {
    const { answer, post, service } = await api();
    const { body } = await post('/forget/preview', { source: 'gates.md' });
    const gone = new AbortController();
    const asked = jsonOf({ source: 'gates.md', preview: body.preview }, { 'idempotency-key': 'a' });
    const request = () => new Request(`http://localhost${ROOT}/forget`, { method: 'POST', ...asked });
    const first = answer(new Request(request(), { signal: gone.signal }), CLIENT);
    gone.abort();
    await first;
    const second = await answer(request(), CLIENT);
    expect([second.status, await second.json()]).toMatchObject([200, { drawers_removed: 1 }]);
    expect((await ask(service, 'listSources', {}, asking())).total).toBe(4);
  });

  it('names one thing, and is not for clients of other machines', async () => {
    const { post } = await api();
    expect((await post('/forget/preview', {})).status).toBe(400);
    expect((await post('/forget/preview', { source: 'a', wing: 'b' })).status).toBe(400);
    const remote = await api({ machine: undefined });
    expect((await remote.post('/forget/preview', { source: 'gates.md' })).status).toBe(404);
    expect((await remote.post('/forget', { source: 'gates.md', preview: 'x' })).status).toBe(404);
  });
});

describe('settings', () => {
  it('of paths, addresses, programs, privacy and what is sent are not changed over HTTP, nor any by other machines', async () => {
    const changes: unknown[] = [];
    const { post, machine } = await api();
    machine.changeSetting = async (...given) => {
      changes.push(given);
      return {};
    };
    const closed = Object.keys(defaultSettings({ home: '/h' })).filter(
      (key) => !PAGE_SETTINGS.some((each) => each === key),
    );
    expect(closed).toEqual([
      ...['palace', 'model', 'search.cold', 'wake_up.identity', 'wake_up.prompt'],
      ...'privacy.exclude_patterns privacy.rules timezone broker.use broker.idle broker.watch'.split(' '),
      ...['summary.url', 'summary.model', 'summary.token_file', 'summary.context'],
      ...['summary.daily_budget', 'summary.auto'],
    ]);
    for (const key of [...closed, '__proto__', 'search', '--palace']) {
      expect((await post('/config/set', { key, value: 'on' })).status).toBe(400);
      expect((await post('/config/unset', { key })).status).toBe(400);
    }
    expect(changes).toEqual([]);
    const remote = await api({ machine: undefined });
    expect((await remote.post('/config/set', { key: 'search.limit', value: '8' })).status).toBe(404);
    expect((await remote.post('/config/unset', { key: 'search.limit' })).status).toBe(404);
  });
});

it('an answer of set is enough to undo it', async () => {
  const { post } = await api();
  await post('/set', { name: 'gates.md', priority: 'low' });
  const { body } = await post('/set', { name: 'gates.md', priority: 'high', pinned: true });
  expect(body).toMatchObject({ former_priority: 'low', former_pinned: false });
  const { former_priority: priority, former_pinned: pinned } = body;
  const undone = await post('/set', { name: body.source_key, priority, pinned });
  expect(undone.body).toMatchObject({ set_priority: 'low', pinned: false });
});
