import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { schemas } from '../support/json-schemas.js';
import { problemsOf } from '../support/soundness.js';
import { TestEnv } from '../support/test-env.js';
import { traces } from '../support/traces.js';

const ROUNDING = '---\ntype: decision\n---\n# Money\n\nThe total of an invoice is rounded half up, once.\n';
const FILES = {
  'docs/money.md': ROUNDING,
  'docs/release.md': '# Releases\n\nA release is cut on Thursdays.\n',
  'docs/cookie.md': '# Cookies\n\nThe session cookie is lax.\n',
};

async function shop(): Promise<{ env: TestEnv; folder: string; ids: Record<string, string> }> {
  const env = new TestEnv();
  const folder = env.project('shop', FILES);
  await env.json('mempalace-docs', [folder]);
  const ids: Record<string, string> = {};
  for (const word of ['invoice', 'Thursdays', 'lax']) {
    const { hits } = schemas.search.parse(await env.json('mempalace', ['search', word]));
    ids[word] = hits[0]?.drawer_id ?? '';
  }
  return { env, folder, ids };
}

const show = async (env: TestEnv, name: string) =>
  schemas.collectionShow.parse(await env.json('mempalace', ['collection', 'show', name]));

describe('mempalace collection', () => {
  it('finds its drawers each time, with those that were added and without those that were excluded', async () => {
    const { env, ids } = await shop();
    const collection = (...args: string[]) => env.run('mempalace', ['collection', ...args]);
    const members = async () => {
      const { drawers } = await show(env, 'Money');
      return drawers.map(({ drawer_id, added }) => [drawer_id, added]);
    };
    expect(await collection('add', 'Money', '--type', 'decision')).toEqual({
      exitCode: 0,
      stdout: 'made Money: (type decision)',
      stderr: '',
    });
    expect(await members()).toEqual([[ids.invoice, false]]);
    expect((await collection('add', 'Money', ids.lax?.slice(0, 20) ?? '')).stdout).toBe(
      'changed Money: (type decision), 1 drawer added',
    );
    expect(await members()).toEqual([
      [ids.lax, true],
      [ids.invoice, false],
    ]);
    await collection('exclude', 'Money', ids.invoice ?? '');
    expect(await members()).toEqual([[ids.lax, true]]);
    await collection('remove', 'Money', ids.invoice ?? '', ids.lax ?? '');
    expect(await members()).toEqual([[ids.invoice, false]]);
    const query = ['collection', 'query', 'Money', 'rounded'];
    expect((await env.run('mempalace', query)).stdout).toContain('│ The total of an invoice is rounded');
    expect((await env.run('mempalace', [...query.slice(0, 3), 'Thursdays'])).stdout).not.toContain(
      'Thursdays',
    );
    expect((await collection('list')).stdout).toBe('│ Money\t\t(type decision)');
    await collection('add', 'Money', '--query', 'cookie', '--limit', '1');
    expect(await members()).toEqual([[ids.invoice, false]]);
    expect((await collection('drop', 'Money')).exitCode).toBe(0);
    expect((await collection('list')).stderr).toContain('no collections');
    expect(problemsOf(env.palace)).toEqual([]);
  });

  it('follows a drawer whose text is edited, and forgets one that is forgotten', async () => {
    const { env, folder, ids } = await shop();
    await env.json('mempalace', ['collection', 'add', 'both', ids.invoice ?? '', ids.lax ?? '']);
    env.edit(join(folder, 'docs/money.md'), ROUNDING.replace('half up', 'half even'));
    await env.json('mempalace-docs', [folder]);
    const { drawers } = await show(env, 'both');
    expect(drawers.every(({ added }) => added)).toBe(true);
    expect(drawers.map(({ text }) => /half (even|up)/.exec(text)?.[0]).sort()).toEqual([
      'half even',
      undefined,
    ]);
    await env.run('mempalace', ['forget', '--source', join(folder, 'docs/cookie.md'), '--yes']);
    const left = await show(env, 'both');
    expect([left.drawers.length, left.collection.added]).toEqual([1, 1]);
    expect(traces(env, ids.lax ?? '')).toEqual([]);
  });

  it('is exported as Markdown, text and JSON, and with the palace', async () => {
    const { env, ids } = await shop();
    await env.json('mempalace', ['collection', 'add', 'money', ids.lax ?? '', '--query', 'invoice rounded']);
    const file = join(env.home, 'money.md');
    await env.json('mempalace', ['collection', 'export', 'money', '--to', file]);
    expect(statSync(file).mode & 0o777).toBe(0o600);
    const text = readFileSync(file, 'utf8');
    expect(text).toMatch(/^# money\n/);
    expect(text).toContain('\n> The session cookie is lax.\n');
    expect(text.indexOf('cookie is lax')).toBeLessThan(text.indexOf('rounded half up'));
    const again = await env.run('mempalace', ['collection', 'export', 'money', '--to', file]);
    expect(again).toMatchObject({ exitCode: 1, stderr: expect.stringContaining('exists already') });
    for (const format of ['text', 'plain']) {
      const { stdout } = await env.run('mempalace', ['collection', 'export', 'money', '--format', format]);
      expect(stdout).toContain('\n│ The session cookie is lax.\n');
    }
    const json = await env.run('mempalace', ['collection', 'export', 'money', '--format', 'json']);
    const { drawers } = schemas.collectionShow.parse(JSON.parse(json.stdout));
    expect(drawers[0]).toMatchObject({ drawer_id: ids.lax, added: true });

    const palace = join(env.home, 'palace.jsonl');
    await env.json('mempalace', ['export', '--jsonl', '--to', palace]);
    const other = new TestEnv();
    const imported = await other.json('mempalace', ['import', palace]);
    expect(imported).toMatchObject({ collections: 1, problems: [] });
    const there = await show(other, 'money');
    expect(there.collection).toMatchObject({ query: 'invoice rounded', added: 1 });
    expect(there.drawers[0]).toMatchObject({ drawer_id: ids.lax, added: true });
    expect(await other.json('mempalace', ['import', palace])).toMatchObject({ collections: 0 });
  });

  it('answers what does not exist with a sentence and what to do', async () => {
    const { env } = await shop();
    const said = async (...args: string[]) => {
      const { exitCode, stdout, stderr } = await env.run('mempalace', ['collection', ...args]);
      expect([exitCode === 0, stdout]).toEqual([false, '']);
      return stderr;
    };
    expect(await said('show', 'nothing')).toBe(
      'error: there is no collection "nothing"\n  hint: there are no collections yet: mempalace collection add <name> --query <question> makes one',
    );
    await env.json('mempalace', ['collection', 'add', 'some', '--query', 'invoice']);
    for (const args of [
      ['query', 'sum', 'x'],
      ['export', 'sum'],
      ['drop', 'sum'],
      ['add', 'sum'],
    ])
      expect(await said(...args)).toContain('there is no collection "sum"\n  hint: collections: some');
    expect(await said('add', 'some', 'drawer_00000000')).toContain(
      'the palace has no drawer drawer_00000000\n  hint: ',
    );
    expect(await said('add', '../x', '--query', 'y')).toContain(
      'not a name of a collection: "../x"\n  hint: ',
    );
    expect(await said('add', 'some', '--limit', '5000')).toContain('the limit of a collection is 1 to 1000');
  });

  it('stores no secret', async () => {
    const { env } = await shop();
    const secret = `ghp_${'a1B2c3D4e5F6'.repeat(3)}`;
    const made = await env.run('mempalace', ['collection', 'add', 'a', '--query', `who uses ${secret}`]);
    expect(made.stderr).toContain('redacted: ');
    expect(traces(env, secret)).toEqual([]);
  });
});
