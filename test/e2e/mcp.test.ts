import { readFileSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { chooseTools } from '../../src/mcp/registry.js';
import { WRITE_LOG } from '../../src/mcp/write-log.js';
import { estimateTokens } from '../../src/reading/index.js';
import { builtOnce } from '../support/built-once.js';
import { type Connected, connect, connected, warmed } from '../support/mcp-client.js';
import { exchange, OpencodeDatabase } from '../support/opencode-database.js';
import { problemsOf } from '../support/soundness.js';
import { TestEnv } from '../support/test-env.js';

const PROXY = '# Proxy\n\nThe proxy listens on port 8443, since 443 needs root.\n';
const LONG = Array.from(
  { length: 40 },
  (_, part) =>
    `## Part ${part}\n\nStep ${part} of the deployment ${'copies artefacts and '.repeat(20)}ends.\n`,
).join('\n');

const filled = builtOnce(async (env: TestEnv) => {
  const shop = env.project('shop', { 'docs/proxy.md': PROXY, 'docs/deploy.md': LONG });
  env.project('.local/share/opencode', {});
  const history = new OpencodeDatabase(join(env.home, '.local/share/opencode/opencode.db'));
  history.addSession({
    messages: [
      ...exchange('Why do we round prices up?', 'Because the tax office rounds up, too.'),
      ...exchange('And for refunds?', 'Refunds are rounded down.'),
    ],
  });
  history.close();
  await env.json('mempalace-docs', [shop]);
  await env.json('mempalace-session', []);
  return shop;
});

type Row = Record<string, unknown>;
const rows = (value: unknown): Row[] => value as Row[];

describe('what an agent reads', () => {
  let env: TestEnv;
  let server: Connected;
  beforeAll(async () => {
    ({ env } = await filled());
    server = await connect(env, ['--tools', 'all']);
  });
  afterAll(() => server.client.close());

  it('begins with the content of the palace, and what to know', async () => {
    const { client, done } = server;
    expect(
      chooseTools('core')
        .map(({ name }) => name)
        .sort(),
    ).toEqual([
      ...'mempalace_add_drawer mempalace_by_file mempalace_check_duplicate mempalace_diary_read'.split(' '),
      ...'mempalace_diary_write mempalace_kg_add mempalace_kg_invalidate mempalace_kg_query'.split(' '),
      ...'mempalace_search mempalace_show mempalace_status mempalace_timeline mempalace_wake_up'.split(' '),
    ]);
    expect(client.getServerVersion()).toMatchObject({ name: 'mempalace' });
    expect(client.getInstructions()).toContain('mempalace_wake_up');
    const status = await done('status');
    expect(status).toMatchObject({ total_sources: 3, wings: { wing_shop: expect.any(Number) } });
    const woken = await done('wake_up', { max_tokens: 300, everywhere: true });
    expect(woken.text).toContain('And for refunds?');
    expect(estimateTokens(String(woken.text))).toBeLessThanOrEqual(300);
  });

  it('is found by words at once, with a notice, and by meaning after the model is loaded', async () => {
    await warmed(server);
    const found = await server.done('search', { query: 'which port does the proxy use', limit: 2 });
    expect(found.notes).toEqual([]);
    const [hit = {}] = rows(found.results);
    expect(hit).toMatchObject({
      drawer_id: expect.stringMatching(/^drawer_[0-9a-f]{24}$/),
      wing: 'wing_shop',
      source_file: expect.stringMatching(/docs\/proxy\.md$/),
      line_start: 1,
      matched_via: 'words and meaning',
      similarity: expect.any(Number),
      scores: { lexical: expect.any(Number) },
    });
    // Each property once: these would say the same again.
    for (const again of ['origin', 'created_at', 'distance', 'bm25_score'])
      expect(hit).not.toHaveProperty(again);
    // The text is exactly that of the drawer.
    const { stdout } = await env.run('mempalace', ['show', String(hit.drawer_id), '--raw']);
    expect(`${stdout}\n`).toBe(hit.text);
  });

  it('is found without the model when the ranking is by words alone', async () => {
    const { env: other } = await filled();
    other.env.MEMPALACE_SEARCH_RANK = 'lexical';
    const { done } = await connected(other);
    const found = await done('search', { query: 'which port does the proxy use', max_distance: 0.1 });
    expect(found.notes).toEqual([]);
    const [hit = {}] = rows(found.results);
    expect(hit).toMatchObject({ source_file: expect.stringMatching(/proxy\.md$/), matched_via: 'words' });
    expect(hit).not.toHaveProperty('similarity');
    expect(await done('status')).toMatchObject({ model: { loaded: false } });
  });

  it('is listed in one line per hit, in about 40 tokens, on request', async () => {
    const { done } = server;
    const found = await done('search', { query: 'deployment artefacts', limit: 10, format: 'index' });
    const { results } = await done('search', { query: 'deployment artefacts', limit: 10 });
    const ids = (found.index as string[]).map((each) => each.split(' ')[0]);
    expect(ids.slice(0, rows(results).length)).toEqual(rows(results).map(({ drawer_id }) => drawer_id));
    expect(found).not.toHaveProperty('results');
    for (const each of found.index as string[]) {
      expect(each).toMatch(/^drawer_[0-9a-f]{24} \d{4}-\d\d-\d\d wing_\w+\/\w+ \| /);
      expect(estimateTokens(each)).toBeLessThan(60);
    }
  });

  it('respects a budget, from the first hit to the whole answer', async () => {
    const { done, refused } = server;
    const found = await done('search', { query: 'deployment artefacts', limit: 50, max_tokens: 400 });
    expect(estimateTokens(JSON.stringify(found))).toBeLessThan(500);
    expect(found.notes).toContainEqual(
      expect.stringMatching(/^\d+ more did not fit: ask again with offset \d+/),
    );
    const [hit = {}] = rows(found.results);
    expect(hit.cut).toBe(true);
    // A hit is a source: of its many drawers, some are named and the rest are counted.
    expect(hit.also_in).toHaveLength(5);
    expect(hit.more_in_source).toBeGreaterThan(5);

    const around = await done('timeline', { drawer_id: hit.drawer_id, radius: 1, max_tokens: 2000 });
    expect(rows(around.drawers).length).toBeGreaterThan(1);
    expect(rows(around.drawers).filter(({ asked_for }) => asked_for === true)).toHaveLength(1);

    let text = '';
    let offset: unknown = 0;
    while (offset !== undefined) {
      const part = await done('show', { id: 'docs/deploy.md', offset, max_tokens: 1000 });
      expect(estimateTokens(JSON.stringify(part))).toBeLessThan(1300);
      text += part.text;
      offset = part.next_offset;
    }
    expect(text).toBe(LONG);
    const ids = ['docs/deploy.md', 'nope.md', hit.drawer_id];
    const several = await done('show', { ids, max_tokens: 1000 });
    expect(estimateTokens(JSON.stringify(several))).toBeLessThan(1300);
    expect(rows(several.shown)).toMatchObject([{ kind: 'source', cut: true }, { kind: 'drawer' }]);
    expect(several.not_shown).toEqual([{ id: 'nope.md', error: expect.stringContaining('nope.md') }]);
    const alone = await done('show', { ids: [hit.drawer_id] });
    expect(rows(alone.shown)).toMatchObject([{ kind: 'drawer' }]);
    for (const wrong of [{}, { id: 'a', ids: ['b', 'c'] }, { ids: ['b', 'c'], offset: 5 }])
      expect(await refused('show', wrong)).toMatchObject({ code: 'usage' });
    expect(await refused('show', { id: 'docs/deploy.md', offset: 10_000_000 })).toMatchObject({
      code: 'usage',
      error: expect.stringContaining('the text ends'),
    });
  });

  it('can be filtered; an empty result of a filter is explained', async () => {
    const { done, refused } = server;
    const of = async (args: Row) => rows((await done('search', { query: 'rounded port', ...args })).results);
    expect(await of({ wing: 'wing_shop' })).toSatisfy((hits: Row[]) =>
      hits.every(({ wing }) => wing === 'wing_shop'),
    );
    expect(await of({ wing: '', since: '2001-01-01' })).not.toEqual([]);
    expect(await of({ until: '2001-01-01' })).toEqual([]);
    const documents = await of({ source_file: 'docs/*.md' });
    expect(documents.length).toBeGreaterThan(0);
    for (const { source_file } of documents) expect(source_file).toMatch(/docs\/\w+\.md$/);
    const loose = await done('search', { query: '"port rounded"' });
    expect(rows(loose.results).length).toBeGreaterThan(0);
    expect(String(loose.notes)).toContain('nothing found that contains "port rounded" exactly');
    expect(await done('search', { query: 'port', winh: 'x' })).toMatchObject({ ignored_arguments: ['winh'] });
    expect(await refused('search', { query: 'port', wing: 'wing_shpo' })).toMatchObject({
      code: 'no-such-name',
      error: expect.stringContaining('did you mean wing_shop?'),
    });
    expect(await refused('search', { query: 'x', since: 'gibberish' })).toMatchObject({ code: 'usage' });
    expect(await refused('search', { limit: 'many' })).toMatchObject({
      code: 'usage',
      error: expect.stringMatching(/query[\s\S]*limit|limit[\s\S]*query/),
      hint: expect.stringContaining('query, wing, room'),
    });
  });

  it('is listed, counted and shown drawer by drawer', async () => {
    const { done, refused } = server;
    const { wings } = await done('list_wings');
    const { rooms } = await done('list_rooms', { wing: 'wing_shop' });
    const { taxonomy } = await done('get_taxonomy');
    expect(taxonomy).toMatchObject({ wing_shop: rooms });
    const count = Object.values(rooms as Record<string, number>).reduce((sum, n) => sum + n, 0);
    expect(wings).toMatchObject({ wing_shop: count });
    const page = await done('list_drawers', { wing: 'wing_shop', limit: 3, offset: 1 });
    expect(page).toMatchObject({ total: count, count: 3, offset: 1, limit: 3 });
    const [first = {}] = rows(page.drawers);
    const drawer = await done('get_drawer', { drawer_id: first.drawer_id });
    expect(String(drawer.content).startsWith(String(first.content_preview).replace(/…$/, ''))).toBe(true);
    expect(await refused('get_drawer', { drawer_id: 'drawer_00000000' })).toMatchObject({
      code: 'not-found',
    });
    expect(await done('reconnect')).toMatchObject({ success: true });
  });
});

describe('[[links]] of hits', () => {
  it('are followed on request', async () => {
    const { env } = await filled();
    const start = 'The quetzal begins here: see [[proxy]], then [[nobody]].\n';
    await env.json('mempalace-docs', [env.project('shop', { 'docs/start.md': start })]);
    const { done } = await connected(env);
    const plain = await done('search', { query: '"quetzal"' });
    expect(plain).not.toHaveProperty('related');
    const { results, related } = await done('search', { query: '"quetzal"', links: true });
    const proxy = expect.stringMatching(/docs\/proxy\.md$/);
    expect(related).toMatchObject([{ link: 'proxy', from: rows(results)[0]?.drawer_id, source_file: proxy }]);
    const { drawer_id: id } = rows(related)[0] ?? {};
    expect(await done('show', { id })).toMatchObject({ drawers: [{ drawer_id: id, text: PROXY }] });
    expect(await done('search', { query: 'nothing "absent"', links: true })).toMatchObject({ related: [] });
  });
});

describe('what an agent writes', () => {
  it('is filed once, found, read whole, changed, moved and deleted by the ids that it receives', async () => {
    const { env } = await filled();
    const { done, refused } = await connected(env, ['--tools', 'all', '--agent', 'tester']);
    const draft = { wing: 'wing_notes', room: 'decisions', content: 'We decided for quokka caching.' };
    const added = await done('add_drawer', draft);
    expect(added).toMatchObject({ success: true, wing: 'wing_notes', room: 'decisions', chunks: 1 });
    expect(await done('add_drawer', draft)).toMatchObject({
      drawer_id: added.drawer_id,
      reason: 'already_exists',
    });
    const found = await done('search', { query: 'quokka' });
    expect(rows(found.results)[0]).toMatchObject({ drawer_id: added.drawer_id, text: draft.content });
    expect(await done('check_duplicate', { content: draft.content })).toMatchObject({
      is_duplicate: true,
      matches: [{ id: added.drawer_id, similarity: 1 }],
    });

    const moved = await done('update_drawer', { drawer_id: added.drawer_id, room: 'facts' });
    expect(moved).toMatchObject({ room: 'facts', drawer_id: added.drawer_id });
    const changed = await done('update_drawer', {
      drawer_id: added.drawer_id,
      content: 'No: numbat caching.',
    });
    expect(changed.drawer_id).not.toBe(added.drawer_id);
    expect(await done('get_drawer', { drawer_id: changed.drawer_id })).toMatchObject({
      content: 'No: numbat caching.',
      room: 'facts',
    });
    // The first text can be filed again: its key belongs to another text now.
    const again = await done('add_drawer', { ...draft, room: 'facts' });
    expect(await done('update_drawer', { drawer_id: again.drawer_id, room: 'facts' })).toMatchObject({
      noop: true,
    });
    expect(await done('delete_drawer', { drawer_id: changed.drawer_id })).toMatchObject({
      drawers_removed: 1,
    });
    expect(await refused('get_drawer', { drawer_id: changed.drawer_id })).toMatchObject({
      code: 'not-found',
    });
    expect(rows((await done('search', { query: '"numbat"' })).results)).toEqual([]);
    expect(problemsOf(env.palace)).toEqual([]);
  });

  it('can be long: one id for the whole text, verbatim, without secrets', async () => {
    const { env } = await filled();
    const { done } = await connected(env, ['--tools', 'all']);
    const secret = ['hunter', '2', 'xyzzy', 'Q9'].join('');
    const content = `${LONG}\n\nPASSWORD=${secret}\n`;
    const added = await done('add_drawer', { wing: 'wing_notes', room: 'long', content });
    expect(added.chunks).toBeGreaterThan(5);
    expect(Object.values(added.redacted as Row)).toEqual([1]);
    const whole = await done('get_drawer', { drawer_id: added.drawer_id });
    expect(String(whole.content).replace(/\[REDACTED:[a-z-]+\]/, secret)).toBe(content);
    expect(whole.chunk_ids).toEqual(added.chunk_ids);
    expect(await done('delete_drawer', { drawer_id: added.drawer_id })).toMatchObject({
      drawers_removed: added.chunks,
    });
    expect(readFileSync(join(env.palace, 'palace.sqlite3')).includes(secret)).toBe(false);
  });

  it('cannot change a feeder’s sources, but can forget them', async () => {
    const { env } = await filled();
    const { done, refused } = await connected(env, ['--tools', 'all']);
    const [hit = {}] = rows((await done('search', { query: 'proxy port 8443', wing: 'wing_shop' })).results);
    for (const [name, more] of [
      ['delete_drawer', {}],
      ['update_drawer', { room: 'x' }],
    ] as const)
      expect(await refused(name, { drawer_id: hit.drawer_id, ...more })).toMatchObject({
        code: 'usage',
        hint: expect.stringContaining('delete_by_source'),
      });
    expect(await refused('delete_drawer', { drawer_id: hit.drawer_id, wing: 'wing_x' })).toMatchObject({
      error: expect.stringContaining('has no wing'),
    });
    const origin = join(env.home, 'shop/docs/proxy.md');
    // As in the original, it is a preview by default.
    const dry = await done('delete_by_source', { source_file: origin });
    expect(dry).toMatchObject({ dry_run: true });
    expect(rows(dry.sources)).toHaveLength(1);
    const [kept = {}] = rows((await done('search', { query: 'proxy port 8443' })).results);
    expect(kept.source_file).toMatch(/proxy\.md$/);
    expect(await done('delete_by_source', { source_file: origin, dry_run: false })).toMatchObject({
      drawers_removed: 1,
    });
    const mined = await done('mine', { source: join(env.home, 'shop') });
    expect(mined).toMatchObject({ success: true, new: 0, drawers_added: 0 });
    expect(rows((await done('search', { query: '"8443"' })).results)).toEqual([]);
  });

  it('is logged with writer, time and place, without content', async () => {
    const { env } = await filled();
    const { done, refused } = await connected(env, ['--agent', 'tester']);
    const draft = { wing: 'wing_notes', room: 'log', content: 'A wallaby secret.', added_by: 'a friend' };
    const added = await done('add_drawer', draft);
    await refused('add_drawer', { wing: '../x', room: 'log', content: 'Another wallaby.' });
    const file = join(env.palace, WRITE_LOG);
    expect(statSync(file).mode & 0o777).toBe(0o600);
    const log = readFileSync(file, 'utf8');
    expect(log).not.toContain('wallaby');
    const entries = log
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(entries).toMatchObject([
      {
        agent: 'tester',
        client: 'test-client 1.2.3',
        tool: 'mempalace_add_drawer',
        ok: true,
        drawer_id: added.drawer_id,
        wing: 'wing_notes',
      },
      { ok: false, error: 'usage' },
    ]);
    // Runs of the server are recorded like all others.
    const { runs } = await env.json('mempalace', ['list', 'runs', '--limit', '1']);
    expect(rows(runs)).toMatchObject([
      { command: 'mempalace-mcp: mempalace_add_drawer', exit_code: 0, drawers_added: 1 },
    ]);
  });

  it('creates a missing palace; before that, reading reports that there is no palace', async () => {
    const env = new TestEnv();
    const { done, refused } = await connected(env);
    expect(await refused('search', { query: 'x' })).toMatchObject({
      code: 'not-found',
      error: expect.stringContaining('there is no palace'),
      hint: expect.any(String),
    });
    await done('add_drawer', { wing: 'wing_first', room: 'start', content: 'The very first drawer.' });
    expect(rows((await done('search', { query: 'first drawer' })).results)).toHaveLength(1);
    expect(problemsOf(env.palace)).toEqual([]);
  });

  it('is not written with --read-only, and its tools are absent', async () => {
    const { env } = await filled();
    const { client, done } = await connected(env, ['--tools', 'all', '--read-only']);
    const { tools } = await client.listTools();
    expect(tools.every(({ annotations }) => annotations?.readOnlyHint === true)).toBe(true);
    await expect(
      client.callTool({ name: 'mempalace_add_drawer', arguments: { wing: 'a', room: 'b', content: 'c' } }),
    ).rejects.toThrow(/there is no tool/);
    const before = env.fingerprint();
    await done('status');
    await done('search', { query: 'port' });
    expect(env.fingerprint()).toBe(before);
  });
});

describe('feeders and checks', () => {
  it('can be run by an agent', async () => {
    const { env, built: shop } = await filled();
    const { done, refused } = await connected(env, ['--tools', 'all']);
    env.project('shop', { 'docs/new.md': '# New\n\nA kookaburra document.\n' });
    expect(await done('mine', { source: shop, dry_run: true })).toMatchObject({ new: 1 });
    expect(await done('mine', { source: shop })).toMatchObject({ new: 1, drawers_added: 1 });
    expect(await done('mine', { source: 'opencode', extract: 'exchange', limit: 0 })).toMatchObject({
      unchanged: 1,
    });
    for (const wrong of [
      { source: shop, extract: 'exchange' },
      { source: 'opencode', extract: 'general' },
      { source: shop, limit: 1, dry_run: true },
      { source: shop, agent: 'a\u001b[2J' },
      { source: shop, mode: 'extract' },
    ])
      expect(await refused('mine', wrong)).toMatchObject({ code: 'usage' });
    env.project('shop', { 'docs/a.md': '# A\n\nA wombat.\n', 'docs/b.md': '# B\n\nA wallaby.\n' });
    expect(await done('mine', { source: shop, agent: 'a friend', limit: 1 })).toMatchObject({ new: 1 });
    expect(await done('mine', { source: shop })).toMatchObject({ new: 1 });
    const by = (await env.run('mempalace', ['export', '--jsonl'])).stdout.split('\n');
    const adders = by.filter((line) => line.includes('"added_by"')).map((line) => JSON.parse(line).added_by);
    expect(adders.filter((name) => name === 'a friend')).toHaveLength(1);
    expect(adders).toContain('test-client');
    expect(rows((await done('search', { query: '"kookaburra"' })).results)).toHaveLength(1);
    expect(await done('verify')).toMatchObject({ documents: { ok: 5 }, findings_total: 0 });
    expect(await done('sync', { project_dir: shop })).toMatchObject({ success: true, orphaned: [] });
    rmSync(join(shop, 'docs/new.md'));
    expect(await refused('sync', { wing: 'wing_shpo' })).toMatchObject({
      error: expect.stringContaining('did you mean wing_shop?'),
    });
    const elsewhere = await done('sync', { wing: 'wing_conversations', apply: true });
    expect(elsewhere).toMatchObject({ orphaned: [], documents: { ok: 0 }, removed: { sources: 0 } });
    const gone = await done('sync', { wing: 'wing_shop', apply: true });
    expect(gone).toMatchObject({ removed: { sources: 1 } });
    expect(await refused('mine', { source: join(env.home, 'nowhere') })).toMatchObject({
      error: expect.stringContaining('nowhere'),
    });
  });
});

describe('several servers on one palace', () => {
  it('read and write at once; nothing is lost or duplicated', async () => {
    const { env } = await filled();
    const servers = await Promise.all([connected(env), connected(env)]);
    const draft = (n: number) => ({ wing: 'wing_notes', room: 'many', content: `Marsupial number ${n}.` });
    const work = servers.flatMap(({ done }, which) =>
      Array.from({ length: 4 }, async (_, n) => {
        await done('add_drawer', draft(which * 4 + n));
        await done('add_drawer', draft(100 + n));
        await done('search', { query: 'port' });
      }),
    );
    await Promise.all(work);
    const listed = await env.json('mempalace', ['status']);
    const wings = rows(listed.wings);
    expect(wings.find(({ wing }) => wing === 'wing_notes')).toMatchObject({ sources: 12, drawers: 12 });
    expect(problemsOf(env.palace)).toEqual([]);
  });
});
