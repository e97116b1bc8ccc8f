import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { describe, expect, it } from 'vitest';
import { palaceFile } from '../../src/store/index.js';
import { connected } from '../support/mcp-client.js';
import { remainsOf } from '../support/remains.js';
import { problemsOf } from '../support/soundness.js';
import { TestEnv } from '../support/test-env.js';

type Row = Record<string, unknown>;
const rows = (value: unknown): Row[] => value as Row[];
const graph = (env: TestEnv, ...args: string[]) => env.json('mempalace', ['facts', ...args]);
const objects = async (env: TestEnv, ...palace: string[]) =>
  rows((await graph(env, 'export', ...palace)).facts).map(({ object }) => object);

/** A palace with two facts, in a kept backup too, and the words of the first that must not remain. */
async function told(): Promise<{ env: TestEnv; id: string; left: () => string[] }> {
  const env = new TestEnv();
  await graph(env, 'add', 'quagga project', 'billed_to', 'Wolpertinger Ltd', '--from', '2020-03-01');
  await graph(env, 'add', 'shop', 'port', '8443');
  const [fact] = rows((await graph(env, 'export')).facts);
  await env.json('mempalace', ['reembed', '--force']);
  const doomed = { needles: ['quagga', 'wolpertinger', 'Wolpertinger', 'billed_to'], bytes: [] };
  return { env, id: String(fact?.triple_id), left: () => remainsOf(doomed, env.palace) };
}

describe('a fact that was added by mistake', () => {
  it('is erased to the last byte, and is not imported again', async () => {
    const { env, id, left } = await told();
    const file = join(env.home, 'facts.json');
    await graph(env, 'export', '--to', file);
    // Including the samples of the query planner.
    const database = new Database(palaceFile(env.palace));
    database.exec('ANALYZE');
    expect(
      database.prepare("SELECT count(*) FROM sqlite_stat4 WHERE tbl = 'entities'").pluck().get(),
    ).not.toBe(0);
    database.close();
    const before = env.fingerprint();
    const dry = await graph(env, 'forget', id, '--dry-run');
    expect(dry).toMatchObject({
      dry_run: true,
      forgotten: [{ triple_id: id }],
      backups: [{ outcome: 'erased' }],
    });
    expect(env.fingerprint()).toBe(before);
    expect((await env.run('mempalace', ['facts', 'forget', id])).exitCode).toBe(2);
    expect(left()).not.toEqual([]);
    expect(await graph(env, 'forget', id.slice(0, 15), '--yes')).toMatchObject({
      forgotten: [{ triple_id: id }],
      backups: [{ outcome: 'erased' }],
      log_emptied: true,
    });
    expect(left()).toEqual([]);
    expect(await objects(env)).toEqual(['8443']);
    expect(await graph(env, 'import', file)).toMatchObject({ new: 0, unchanged: 1, forgotten: 1 });
    const again = ['facts', 'add', 'quagga project', 'billed_to', 'Wolpertinger Ltd', '--from', '2020-03-01'];
    const refused = await env.run('mempalace', again);
    expect(refused).toMatchObject({ exitCode: 1, stderr: expect.stringContaining('--allow-again') });
    expect(left()).toEqual([]);
    const { tombstones } = await env.json('mempalace', ['forget', '--list']);
    expect(tombstones).toMatchObject([{ source_key: id, kind: 'fact' }]);
    await env.json('mempalace', ['forget', '--source', id, '--allow-again']);
    expect(await graph(env, 'import', file)).toMatchObject({ new: 1, forgotten: 0 });
    expect(problemsOf(env.palace)).toEqual([]);
  });

  it('can be named by its words; an unknown fact exits with 4', async () => {
    const { env, left } = await told();
    const none = await env.run('mempalace', ['facts', 'forget', 'shop', 'port', '443', '--yes']);
    expect(none).toMatchObject({ exitCode: 4, stdout: '' });
    expect((await env.run('mempalace', ['facts', 'forget', 'shop', 'port'])).exitCode).toBe(2);
    const words = ['Quagga Project', 'billed to', 'wolpertinger ltd'];
    const done = await env.run('mempalace', ['facts', 'forget', ...words, '--backups', '--yes']);
    expect(done.stdout).toMatch(
      /^forgot: │ quagga project billed_to Wolpertinger Ltd \(since 2020-03-01\)\nremoved /,
    );
    expect(left()).toEqual([]);
    expect(readdirSync(join(env.palace, 'backups'))).toEqual([]);
  });

  it('is shown to an agent first, and then erased', async () => {
    const { env, id, left } = await told();
    const { done, refused } = await connected(env, ['--tools', 'all']);
    expect(await done('kg_forget', { triple_id: id })).toMatchObject({
      dry_run: true,
      forgotten: [{ subject: 'quagga project' }],
    });
    expect(await objects(env)).toHaveLength(2);
    expect(await done('kg_forget', { triple_id: id, dry_run: false })).toMatchObject({ dry_run: false });
    expect(left()).toEqual([]);
    expect(await refused('kg_forget', { triple_id: id })).toMatchObject({ code: 'not-found' });
    expect(await refused('kg_forget', { triple_id: 'x; y' })).toMatchObject({ code: 'usage' });
  });
});
