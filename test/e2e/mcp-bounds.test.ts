import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { estimateTokens } from '../../src/reading/index.js';
import { builtOnce } from '../support/built-once.js';
import { earlierPalaces } from '../support/earlier-palaces.js';
import { type Connected, connect, connected } from '../support/mcp-client.js';
import { TestEnv } from '../support/test-env.js';

type Row = Record<string, unknown>;
const rows = (value: unknown): Row[] => value as Row[];
const HUGE = 'word '.repeat(100_000);

const filled = builtOnce(async (env: TestEnv) => {
  const parts = Array.from(
    { length: 30 },
    (_, n) => `## Part ${n}\n\n${`Step ${n} of the lamp. `.repeat(30)}\n`,
  );
  await env.json('mempalace-docs', [env.project('shop', { 'docs/lamp.md': parts.join('\n') })]);
  const { done, client } = await connect(env, ['--tools', 'all']);
  for (let n = 0; n < 30; n += 1)
    await done('kg_add', { subject: 'lamp', predicate: 'uses', object: `part ${n}` });
  for (let n = 0; n < 12; n += 1)
    await done('diary_write', { agent_name: 'a', entry: `Day ${n}. ${'We spoke of lamps. '.repeat(40)}` });
  await done('build_collection', { name: 'lamps', query: 'lamp' });
  await client.close();
});

describe('answers', () => {
  let env: TestEnv;
  let server: Connected;
  beforeAll(async () => {
    ({ env } = await filled());
    server = await connect(env, ['--tools', 'all', '--agent', `a\u0007${'b'.repeat(300)}`]);
    // From now on the SDK's client validates structured content with the tools' schemas.
    await server.client.listTools();
  });
  afterAll(() => server.client.close());

  it('stay small for every question', async () => {
    const { call } = server;
    await env.json('mempalace', ['kg', 'add', 'long', 'told_by', 'x', '--source', 'y'.repeat(100_000)]);
    const asked: [string, Row][] = [
      ['search', { query: HUGE }],
      ['search', { query: 'a?'.repeat(50_000), context: HUGE }],
      ['search', { query: 'x', source_file: '['.repeat(100_000) }],
      [
        'search',
        { query: 'x', [HUGE]: 1, ...Object.fromEntries(Array.from({ length: 500 }, (_, n) => [`k${n}`, 1])) },
      ],
      ['show', { id: HUGE }],
      ['timeline', { drawer_id: HUGE }],
      ['get_drawer', { drawer_id: HUGE }],
      ['delete_drawer', { drawer_id: 'x', [HUGE]: 1 }],
      ['kg_query', { entity: HUGE }],
      ['kg_query', { entity: 'long' }],
      ['kg_add', { subject: 'a', predicate: 'b', object: 'c', source_file: HUGE }],
      ['kg_add', { subject: 'a', predicate: 'b', object: 'c', source_closet: HUGE }],
      ['add_drawer', { wing: 'wing_a', room: 'r', content: 'c', source_file: HUGE }],
      ['add_drawer', { wing: 'wing_a', room: 'r', content: 'c', added_by: HUGE }],
      ['add_drawer', { wing: HUGE, room: 'r', content: 'c' }],
      ['add_drawer', { wing: 'wing_a', room: 'r', content: '# a\n\nb\n\n'.repeat(10_000) }],
      ['diary_write', { agent_name: 'b', entry: 'Long words. '.repeat(30_000) }],
      ['mine', { source: HUGE }],
      ['mine', { source: '/nowhere', agent: HUGE }],
      ['delete_by_source', { source_file: HUGE }],
    ];
    for (const [name, args] of asked) {
      const { isError, result } = await call(name, args);
      expect([name, JSON.stringify(result).length < 30_000]).toEqual([name, true]);
      expect([name, isError, typeof result.error]).toEqual([name, isError, isError ? 'string' : 'undefined']);
    }
    const unknown = await server.client.callTool({ name: HUGE, arguments: {} }).catch(String);
    expect(String(unknown).length).toBeLessThan(1_000);
  });

  it('respect max_tokens in every tool that has it, and say how to continue', async () => {
    const { client, done } = server;
    const { tools } = await client.listTools();
    const bounded = tools.filter(({ inputSchema }) => 'max_tokens' in (inputSchema.properties ?? {}));
    const found = await done('search', { query: 'lamp', limit: 1 });
    const [hit = {}] = rows(found.results);
    const needed: Row = { query: 'lamp', limit: 30, entity: 'lamp', agent_name: 'a', last_n: 100 };
    Object.assign(needed, {
      drawer_id: hit.drawer_id,
      radius: 20,
      id: hit.drawer_id,
      file: 'a.md',
      name: 'lamps',
    });
    expect(bounded.length).toBeGreaterThanOrEqual(7);
    for (const { name, inputSchema } of bounded) {
      const args = Object.fromEntries(
        Object.entries(needed).filter(([key]) => key in (inputSchema.properties ?? {})),
      );
      if (name === 'mempalace_wake_up') delete args.agent_name;
      for (const most of [1_500, 3_000]) {
        const answer = await done(name.replace('mempalace_', ''), { ...args, max_tokens: most });
        expect([name, estimateTokens(JSON.stringify(answer)) < most * 1.2]).toEqual([name, true]);
      }
    }
    for (const most of [100, 150, 400, 1_500]) {
      const answer = await done('timeline', { drawer_id: hit.drawer_id, radius: 20, max_tokens: most });
      expect([most, estimateTokens(JSON.stringify(answer)) <= most]).toEqual([most, true]);
      expect(rows(answer.drawers)[0]).toMatchObject({ drawer_id: hit.drawer_id, asked_for: true });
    }
    // A hit without text is useless: there are fewer hits instead.
    for (const most of [100, 1_500]) {
      const { results } = await done('search', { query: 'lamp', limit: 30, max_tokens: most });
      const texts = rows(results).map(({ text }) => estimateTokens(String(text)));
      expect([most, Math.min(...texts) >= 20]).toEqual([most, true]);
    }
    const facts = await done('kg_query', { entity: 'lamp', max_tokens: 500 });
    expect(facts).toMatchObject({ total: 30, count: rows(facts.facts).length });
    expect(rows(facts.facts).at(-1)).toMatchObject({ object: 'part 29' });
    const diary = await done('diary_read', { agent_name: 'a', last_n: 100, max_tokens: 300 });
    expect(diary.total).toBe(12);
    expect(Number(diary.showing)).toBeLessThan(12);
  });

  it('respect max_tokens in a long wake-up', async () => {
    const lived = new TestEnv();
    const docs = Array.from({ length: 40 }, (_, n) => [
      `docs/d${n}.md`,
      `# Lamp ${n}\n\nKeep lamp ${n} dry.\n`,
    ]);
    const lamps = lived.project('lamps', {
      ...Object.fromEntries(docs),
      'mempalace.yaml': 'priorities: [{ match: docs/, priority: high }]\n',
    });
    await lived.json('mempalace', ['projects', 'add', '--yes', lamps]);
    await lived.json('mempalace-docs', [lamps]);
    const { done } = await connected(lived);
    const whole = await done('wake_up', { max_tokens: 3_000, everywhere: true });
    for (const most of [300, 1_000]) {
      const answer = await done('wake_up', { max_tokens: most, everywhere: true });
      const spent = estimateTokens(JSON.stringify(answer));
      expect([most, spent > most * 0.7, spent <= most * 1.1]).toEqual([most, true, true]);
      expect(Number(answer.tokens)).toBeLessThan(Number(whole.tokens));
    }
  });

  it('say why the palace cannot be read', async () => {
    const { refused } = await connected(new TestEnv(), ['--palace', '/dev/null/palace']);
    expect(await refused('status')).toMatchObject({ code: 'not-found' });
  });

  it('accept null, empty strings and booleans as strings', async () => {
    const { done, refused } = server;
    const asked = { query: 'lamp', limit: '', wing: null, since: '', links: 'true', max_distance: null };
    expect(await done('search', asked)).toMatchObject({ related: [], results: expect.any(Array) });
    expect(await refused('search', { query: null })).toMatchObject({ code: 'usage' });
    expect(await refused('search', { query: '' })).toMatchObject({ code: 'usage' });
    expect(await refused('add_drawer', { wing: 'wing_a', room: 'r', content: ' \n ' })).toMatchObject({
      code: 'usage',
    });
    for (const [name, args] of [
      ['verify', { session_id: 'ses_\0' }],
      ['mine', { source: '/tmp\0' }],
      ['delete_by_source', { source_file: 'a\0b' }],
    ] as const)
      expect(await refused(name, args)).toMatchObject({
        code: 'usage',
        error: expect.stringMatching('null'),
      });
    const long = await done('search', { query: `${'why? '.repeat(2_000)} what is step 7 of the lamp?` });
    expect(long).toMatchObject({
      query_sanitized: true,
      notes: expect.arrayContaining([expect.stringMatching(/long/)]),
    });
    expect(String(long.query)).toMatch(/step 7 of the lamp\?$/);
  });
});

describe('--read-only', () => {
  it('writes nothing with any tool', async () => {
    const { env } = await filled();
    const { client, call } = await connected(env, ['--tools', 'all', '--read-only']);
    const { tools } = await client.listTools();
    const before = env.fingerprint();
    const [hit = {}] = rows((await call('search', { query: 'lamp' })).result.results);
    const given = {
      query: 'lamp',
      entity: 'lamp',
      agent_name: 'a',
      content: 'A lamp.',
      id: hit.drawer_id,
      file: 'a.md',
      name: 'lamps',
    };
    for (const { name } of tools)
      expect([
        name,
        await call(name.replace('mempalace_', ''), { ...given, drawer_id: hit.drawer_id }),
      ]).toMatchObject([name, { isError: false }]);
    expect(env.fingerprint()).toBe(before);
  });

  it('does not migrate a palace of an earlier version', async () => {
    const env = new TestEnv();
    earlierPalaces().at(-1)?.layInto(env.palace);
    const before = env.fingerprint();
    const { refused } = await connected(env, ['--tools', 'all', '--read-only']);
    for (const [name, args] of [
      ['status', {}],
      ['search', { query: 'x' }],
      ['verify', {}],
    ] as const)
      expect(await refused(name, args)).toMatchObject({ error: expect.stringContaining('earlier version') });
    expect(env.fingerprint()).toBe(before);
  });
});
