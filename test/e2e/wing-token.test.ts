import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { withBroker } from '../support/broker.js';
import { filledMachine } from '../support/real-palace.js';
import { connectedTo, served } from '../support/served.js';
import type { TestEnv } from '../support/test-env.js';

const machine = filledMachine();

const filled = async (): Promise<TestEnv> => withBroker((await machine()).env);

const addToken = async (env: TestEnv, ...args: string[]): Promise<string> =>
  String((await env.json('mempalace', ['serve', 'token', 'add', ...args])).token);

describe('a token with --wing', () => {
  it('is listed with its wing, and stored where a program that does not know wings ignores it', async () => {
    const env = await filled();
    await addToken(env, 'ada');
    const made = await env.json('mempalace', 'serve token add bo --wing notes --read-only'.split(' '));
    expect(made).toMatchObject({ name: 'bo', read_only: true, wing: 'notes' });
    expect((await env.run('mempalace', ['serve', 'token', 'list'])).stdout).toMatch(
      /^ada {2}since [\d-]{10}\nbo {2}since [\d-]{10} {2}wing notes {2}read-only$/,
    );
    expect(await env.json('mempalace', ['serve', 'token', 'list'])).toMatchObject({
      tokens: [
        { name: 'ada', wing: null },
        { name: 'bo', wing: 'notes' },
      ],
    });
    const stored = JSON.parse(readFileSync(join(env.palace, 'serve-tokens.json'), 'utf8'));
    expect(stored.tokens.map(({ name }: { name: string }) => name)).toEqual(['ada']);
    expect(stored.wing_tokens).toMatchObject([{ name: 'bo', wing: 'notes', read_only: true }]);
    expect((await env.run('mempalace', ['serve', 'token', 'add', 'x', '--wing', '../x'])).exitCode).toBe(2);
    expect((await env.run('mempalace', ['serve', 'token', 'revoke', 'bo'])).exitCode).toBe(0);
    expect(readFileSync(join(env.palace, 'serve-tokens.json'), 'utf8')).not.toContain('wing');
  });

  it('finds, files and lists in its wing alone, over MCP and REST, until it is revoked', async () => {
    const env = await filled();
    const { url, request } = await served(env);
    // The same name had another token before.
    const { call: whole } = await connectedTo(url, await addToken(env, 'bo'));
    expect((await whole('search', { query: 'lamps' })).results).not.toEqual([]);
    await env.json('mempalace', ['serve', 'token', 'revoke', 'bo']);
    const token = await addToken(env, 'bo', '--wing', 'notes');
    const { client, call } = await connectedTo(url, token);
    expect(client.getInstructions()).toContain('You work in the wing notes alone');
    const names = (await client.listTools()).tools.map(({ name }) => name);
    expect(names).toContain('mempalace_add_drawer');
    expect(names).not.toContain('mempalace_status');
    await expect(call('status')).rejects.toThrow('there is no tool');
    expect((await call('search', { query: 'lamps' })).results).toEqual([]);
    const draft = { room: 'decisions', content: 'Lamps are made of brass.' };
    await expect(call('add_drawer', { ...draft, wing: 'shop' })).rejects.toThrow('another wing');
    const { drawer_id: id } = await call('add_drawer', { ...draft, wing: 'notes' });
    const { results } = await call('search', { query: 'lamps' });
    expect(results).toMatchObject([{ drawer_id: id, wing: 'notes' }]);
    const get = (path: string) =>
      request({ method: 'GET', path: `/api/v1${path}`, headers: { authorization: `Bearer ${token}` } });
    const { wings } = JSON.parse((await get('/list/wings')).body);
    expect(wings.map(({ wing }: { wing: string }) => wing)).toEqual(['notes']);
    const status = await get('/status');
    expect([status.status, JSON.parse(status.body).error.message]).toEqual([
      403,
      '/status concerns the whole palace; this client is confined to the wing notes',
    ]);
    await env.json('mempalace', ['serve', 'token', 'revoke', 'bo']);
    expect((await get('/list/wings')).status).toBe(401);
    await expect(client.listTools()).rejects.toThrow();
  });
});
