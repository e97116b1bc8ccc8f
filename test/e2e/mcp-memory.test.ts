import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { takeLock } from '../../src/platform/lock.js';
import { type Connected, connect } from '../support/mcp-client.js';
import { temporaryFolder } from '../support/palace.js';
import { problemsOf } from '../support/soundness.js';
import { TestEnv } from '../support/test-env.js';

type Row = Record<string, unknown>;

describe('an agent that remembers', () => {
  let env: TestEnv;
  let server: Connected;
  beforeAll(async () => {
    env = new TestEnv(temporaryFolder());
    server = await connect(env, ['--tools', 'all', '--agent', 'tester']);
  });
  afterAll(() => server.client.close());

  it('stores facts with their dates, while another run holds the lock', async () => {
    const { done, refused } = server;
    const main = { subject: 'shop', predicate: 'default_branch', object: 'main', valid_from: '2020-03-01' };
    const told = await done('kg_add', main);
    expect(told).toMatchObject({ success: true, fact: 'shop → default_branch → main', conflicts: [] });
    const lock = await takeLock(`${env.palace}/run.lock`, 'another run', 0);
    try {
      expect(await done('kg_add', main)).toMatchObject({
        triple_id: told.triple_id,
        reason: 'already_exists',
      });
      const other = await done('kg_add', { ...main, object: 'dev', valid_to: '', source_file: 'a wiki' });
      expect(other.conflicts).toMatchObject([{ object: 'main', current: true }]);
      const wrong = { subject: 'shop', predicate: 'default_branch', object: 'trunk' };
      expect(await refused('kg_invalidate', wrong)).toMatchObject({
        code: 'not-found',
        hint: expect.stringContaining('"main", "dev"'),
      });
      const ended = await done('kg_invalidate', { ...wrong, object: 'dev', ended: '2020-03-01' });
      expect(ended).toMatchObject({ success: true, ended: '2020-03-01' });
      const changed = await done('kg_supersede', {
        subject: 'shop',
        predicate: 'default_branch',
        new_object: 'trunk',
        at: '2020-05-01',
      });
      expect(changed).toMatchObject({ at: '2020-05-01', ended: [{ object: 'main' }], conflicts: [] });
    } finally {
      lock.release();
    }
    const then = await done('kg_query', { entity: 'Shop', as_of: '2020-04-30' });
    expect(then).toMatchObject({ count: 1, facts: [{ object: 'main', direction: 'outgoing' }] });
    expect(await done('kg_query', { entity: 'nobody' })).toMatchObject({
      count: 0,
      hint: expect.stringContaining('mempalace_search'),
    });
    const { timeline, total } = await done('kg_timeline', { entity: 'shop', limit: 1 });
    expect([total, timeline]).toMatchObject([3, [{ object: 'trunk' }]]);
    const before = await done('kg_timeline', { as_of: '2020-04-30' });
    expect(before).toMatchObject({ total: 1, timeline: [{ object: 'main' }] });
    expect(await done('kg_stats')).toMatchObject({
      entities: 4,
      triples: 3,
      current_facts: 1,
      expired_facts: 2,
      relationship_types: ['default_branch'],
      conflicts: [],
    });
    for (const args of [
      { ...main, valid_from: 'soon' },
      { ...main, source_drawer_id: 'drawer_1' },
    ])
      expect(await refused('kg_add', args)).toMatchObject({ code: 'usage' });
    expect((await env.run('mempalace', ['kg', 'query', 'shop'])).stdout.split('\n')).toHaveLength(3);
  });

  it('writes its diary, and reads it at the next start', async () => {
    const { done, refused } = server;
    const long = 'We looked at rounding, and at the proxy.\n\n'.repeat(300);
    const entry = { agent_name: 'Tester', entry: long, topic: 'a long day' };
    const written = await done('diary_write', entry);
    expect(written).toMatchObject({ success: true, agent: 'tester', topic: 'a long day' });
    expect(written.chunks).toBe(30);
    // An answer is not a list of hundreds of ids.
    expect(written.chunk_ids).toHaveLength(20);
    expect(await done('diary_write', entry)).toMatchObject({
      entry_id: written.entry_id,
      reason: 'already_exists',
    });
    await done('diary_write', { agent_name: 'tester', entry: 'Short.' });
    const read = await done('diary_read', { agent_name: 'tester', last_n: 5, max_tokens: 10_000 });
    expect(read).toMatchObject({ agent: 'tester', total: 2, showing: 2 });
    expect((read.entries as Row[]).map(({ content }) => content)).toEqual(['Short.', long]);
    const cut = await done('diary_read', { agent_name: 'tester', max_tokens: 500 });
    expect(cut.entries).toMatchObject([{ content: 'Short.' }, { cut: true }]);
    const shown = await done('show', { id: written.entry_id, max_tokens: 10_000 });
    expect(shown.text).toBe(long);
    const woken = await done('wake_up', { agent_name: 'tester' });
    expect(woken.text).toMatch(/## diary\n[^\n]*diary: general[^\n]*\n[^\n]*Short\./);
    const { results } = await done('search', { query: 'rounding proxy', wing: 'wing_tester' });
    expect((results as Row[])[0]).toMatchObject({ room: 'diary' });
    expect(await refused('diary_write', { agent_name: '/', entry: 'x' })).toMatchObject({ code: 'usage' });
    expect((await done('get_aaak_spec')).aaak_spec).toContain('AAAK');
    expect(problemsOf(env.palace)).toEqual([]);
  });
});
