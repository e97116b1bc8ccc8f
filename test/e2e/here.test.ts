import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { builtOnce } from '../support/built-once.js';
import { connected, warmed } from '../support/mcp-client.js';
import { RawServer } from '../support/raw-server.js';
import { TestEnv } from '../support/test-env.js';

const MONEY = '# Money\n\nPrices are rounded once, on the total.\n';

/** Two projects with the same document, and a folder that is in neither. */
const filled = builtOnce(async (env: TestEnv) => {
  const projects: Record<string, string> = {};
  for (const name of ['bank', 'shop']) {
    const other = `# ${name}\n\nThe ${name} sells tea.\n`;
    projects[name] = env.project(name, { 'docs/money.md': MONEY, 'README.md': other });
    await env.json('mempalace-docs', [projects[name]]);
  }
  mkdirSync(join(env.home, 'elsewhere'));
});

const QUESTION = 'how are prices rounded';
const NOTE = /^preferring this project \(wing_(bank|shop)\); /;

interface Found {
  hits: { wing: string; score: number; scores: { here: number } }[];
  notes: string[];
}

describe('mempalace search in a folder', () => {
  async function asked(env: TestEnv, folder: string, ...flags: string[]) {
    const args = ['search', QUESTION, ...flags, '--json'];
    const outcome = await env.spawn('mempalace', args, {}, join(env.home, folder));
    if (outcome.exitCode !== 0) throw new Error(outcome.stderr);
    const { hits, notes } = JSON.parse(outcome.stdout) as Found;
    return { wings: hits.map(({ wing }) => wing), here: hits.map(({ scores }) => scores.here), notes };
  }

  it('prefers the project of the folder, and says so', async () => {
    const { env } = await filled();
    for (const name of ['bank', 'shop']) {
      const { wings, here, notes } = await asked(env, `${name}/docs`);
      expect([wings[0], here[0]]).toEqual([`wing_${name}`, 1]);
      expect(new Set(wings).size).toBe(2);
      expect(notes).toEqual([`preferring this project (wing_${name}); --everywhere searches all alike`]);
    }
    const shown = await env.spawn('mempalace', ['search', QUESTION], {}, join(env.home, 'shop'));
    expect(shown.stderr).toMatch(NOTE);
    const quiet = await env.spawn('mempalace', ['search', QUESTION, '--quiet'], {}, join(env.home, 'shop'));
    expect(quiet.stderr).toBe('');
  });

  it('searches all alike with --everywhere, by a place, and outside of projects', async () => {
    const { env } = await filled();
    const alike = await asked(env, 'elsewhere');
    expect(alike.notes).toEqual([]);
    for (const name of ['bank', 'shop']) expect(await asked(env, name, '--everywhere')).toEqual(alike);
    for (const place of [
      ['--wing', 'wing_bank'],
      ['--room', 'docs'],
      ['--source', '*.md'],
      ['--directory', env.home],
    ]) {
      const { notes, here } = await asked(env, 'shop', ...place);
      expect([place, notes, here.includes(1)]).toEqual([place, [], false]);
    }
    expect((await asked(env, 'shop', '--since', '2020-01-01')).notes).toHaveLength(1);
  });

  it('is restricted to the project with --here, which needs one', async () => {
    const { env } = await filled();
    const { wings, notes } = await asked(env, 'shop/docs', '--here');
    expect(new Set(wings)).toEqual(new Set(['wing_shop']));
    expect(notes).toEqual([]);
    const nothing = await env.spawn(
      'mempalace',
      ['search', '--here', '"no such words"'],
      {},
      join(env.home, 'shop'),
    );
    expect(nothing.stderr).toContain('(this project, wing_shop)');
    const outside = await env.spawn(
      'mempalace',
      ['search', QUESTION, '--here'],
      {},
      join(env.home, 'elsewhere'),
    );
    expect(outside.exitCode).not.toBe(0);
    expect(outside.stderr).toContain(`no filed project contains ${join(env.home, 'elsewhere')}`);
    expect(outside.stderr).toContain('mempalace-docs');
    const both = await env.spawn('mempalace', ['search', QUESTION, '--here', '--everywhere']);
    expect(both.exitCode).toBe(2);
  });

  it('says nothing where the palace contains only this project', async () => {
    const env = new TestEnv();
    const shop = env.project('shop', { 'money.md': MONEY });
    await env.json('mempalace-docs', [shop]);
    expect((await asked(env, 'shop')).notes).toEqual([]);
  });
});

describe('mempalace_search', () => {
  const first = (result: Record<string, unknown>) => (result.results as { wing: string }[])[0]?.wing;

  it("prefers the project of the client's roots, asked for again when they change", async () => {
    const { env } = await filled();
    let [root, asked] = ['shop', 0];
    const roots = () => {
      asked += 1;
      return [join(env.home, root, 'docs')];
    };
    const server = await connected(env, [], { cwd: join(env.home, 'bank'), roots });
    await warmed(server);
    expect(asked).toBe(0);
    for (let i = 0; i < 2; i += 1) {
      const found = await server.done('search', { query: QUESTION });
      expect(first(found)).toBe('wing_shop');
      expect(found.notes).toEqual([
        'preferring this project (wing_shop); scope everywhere searches all alike',
      ]);
    }
    expect(asked).toBe(1);
    root = 'bank';
    await server.client.sendRootsListChanged();
    expect(first(await server.done('search', { query: QUESTION }))).toBe('wing_bank');
    root = 'elsewhere';
    await server.client.sendRootsListChanged();
    expect((await server.done('search', { query: QUESTION })).notes).toEqual([]);
    expect(await server.refused('search', { query: QUESTION, scope: 'here' })).toMatchObject({
      code: 'not-found',
      error: expect.stringContaining('no filed project contains'),
    });
  });

  it("prefers the project of the server's folder for a client without roots", async () => {
    const { env } = await filled();
    for (const name of ['bank', 'shop']) {
      const server = await connected(env, [], { cwd: join(env.home, name) });
      await warmed(server);
      const found = await server.done('search', { query: QUESTION });
      expect([first(found), found.notes]).toEqual([`wing_${name}`, [expect.stringMatching(NOTE)]]);
      const here = await server.done('search', { query: QUESTION, scope: 'here', limit: 50 });
      expect((here.results as { wing: string }[]).every(({ wing }) => wing === `wing_${name}`)).toBe(true);
      expect(here.filters).toEqual({ scope: 'here' });
      expect((await server.done('search', { query: QUESTION, scope: 'everywhere' })).notes).toEqual([]);
      expect((await server.done('search', { query: QUESTION, wing: 'wing_bank' })).notes).toEqual([]);
      expect((await server.refused('search', { query: QUESTION, scope: 'there' })).code).toBe('usage');
    }
  });

  it('does not wait long for a client that offers roots but does not name them', async () => {
    const { env } = await filled();
    const server = new RawServer(env);
    await server.ask('open', 'initialize', {
      protocolVersion: '2025-11-25',
      capabilities: { roots: {} },
      clientInfo: { name: 'raw', version: '1' },
    });
    server.send({ method: 'notifications/initialized' });
    const began = Date.now();
    const answer = await server.call(1, 'search', { query: QUESTION });
    expect(answer).toMatchObject({ result: { structuredContent: { results: expect.any(Array) } } });
    expect(Date.now() - began).toBeLessThan(20_000);
    expect(server.messages.filter(({ method }) => method === 'roots/list')).toHaveLength(1);
    await server.call(2, 'search', { query: QUESTION });
    expect(server.messages.filter(({ method }) => method === 'roots/list')).toHaveLength(1);
  });
});
