import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { schemas } from '../support/json-schemas.js';
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
});
