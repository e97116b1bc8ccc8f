import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { remainsOf } from '../support/remains.js';
import { TestEnv } from '../support/test-env.js';

type Row = Record<string, unknown>;
const rows = (value: unknown): Row[] => value as Row[];
const graph = (env: TestEnv, ...args: string[]) => env.json('mempalace', ['facts', ...args]);
const objects = async (env: TestEnv, ...palace: string[]) =>
  rows((await graph(env, 'export', ...palace)).facts).map(({ object }) => object);

describe('a forgotten fact', () => {
  it('is erased in another palace that imports the tombstone', async () => {
    const env = new TestEnv();
    await graph(env, 'add', 'quagga project', 'billed_to', 'Wolpertinger Ltd');
    await graph(env, 'add', 'shop', 'port', '8443');
    const [fact] = rows((await graph(env, 'export')).facts);
    const id = String(fact?.triple_id);
    const there = ['--palace', join(env.home, 'there')];
    const [facts, lines] = [join(env.home, 'facts.json'), join(env.home, 'lines.jsonl')];
    await graph(env, 'export', '--to', facts);
    await graph(env, 'import', facts, ...there);
    expect(await objects(env, ...there)).toHaveLength(2);
    await graph(env, 'forget', id, '--yes');
    await env.json('mempalace', ['export', '--jsonl', '--to', lines]);
    expect(await env.json('mempalace', ['import', lines, ...there])).toMatchObject({
      tombstones: 1,
      facts_erased: 1,
    });
    expect(await objects(env, ...there)).toEqual(['8443']);
    const doomed = { needles: ['wolpertinger'], bytes: [] };
    expect(remainsOf(doomed, join(env.home, 'there'))).toEqual([]);
  });

  it('is removed by an import that removes its source', async () => {
    const env = new TestEnv();
    const there = ['--palace', join(env.home, 'there')];
    const [facts, lines] = [join(env.home, 'facts.json'), join(env.home, 'lines.jsonl')];
    await env.json('mempalace-docs', [env.project('shop', { 'a.md': '# A\n\nOf quaggas.\n' })]);
    const { hits } = await env.json('mempalace', ['search', 'quaggas']);
    await graph(env, 'add', 'quagga', 'eats', 'grass', '--drawer', String(rows(hits)[0]?.drawer_id));
    await graph(env, 'export', '--to', facts);
    await graph(env, 'import', facts, ...there);
    await env.json('mempalace', ['forget', '--source', 'a.md', '--yes']);
    await env.json('mempalace', ['export', '--jsonl', '--to', lines]);
    expect(await objects(env, ...there)).toEqual(['grass']);
    expect(await env.json('mempalace', ['import', lines, ...there])).toMatchObject({ facts_erased: 1 });
    expect(await objects(env, ...there)).toEqual([]);
  });

  it('that contains a secret is found by scrub in kept backups', async () => {
    const env = new TestEnv();
    const secret = ['kJ8s', 'Qw3x', 'Zt9v', 'Lm2p', 'Rb6n'].join('');
    await graph(env, 'add', 'shop', 'password', secret, '--no-redact');
    await env.json('mempalace', ['reembed', '--force']);
    const scrubbed = await env.json('mempalace', ['scrub'], 3);
    expect(scrubbed).toMatchObject({ facts: 1, backups: [{ outcome: 'holds' }] });
    const cleaned = await env.json('mempalace', ['scrub', '--backups']);
    expect(cleaned).toMatchObject({ facts: 0, backups: [{ outcome: 'removed' }] });
    expect(remainsOf({ needles: [secret], bytes: [] }, env.palace)).toEqual([]);
  });
});
