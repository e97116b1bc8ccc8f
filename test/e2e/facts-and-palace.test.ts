import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { builtOnce } from '../support/built-once.js';
import type { TestEnv } from '../support/test-env.js';
import { traces } from '../support/traces.js';

const given = builtOnce(async (env) => {
  const shop = env.project('shop', { 'docs/proxy.md': '# Proxy\n\nPort 8443, since 443 needs root.\n' });
  await env.json('mempalace-docs', [shop]);
});

async function drawerOf(env: TestEnv): Promise<string> {
  const { hits } = await env.json('mempalace', ['search', 'proxy port', '--limit', '1']);
  return (hits as { drawer_id: string }[])[0]?.drawer_id ?? '';
}

describe('facts', () => {
  it('are part of export, import, backup and restore', async () => {
    const { env } = await given();
    const drawer = await drawerOf(env);
    await env.json('mempalace', ['facts', 'add', 'shop', 'port', '8443', '--drawer', drawer]);
    await env.json('mempalace', ['facts', 'add', 'ada', 'works_on', 'shop']);
    await env.json('mempalace', ['diary', 'write', '--agent', 'tester', 'Moved the port.']);
    const graph = async (...palace: string[]) =>
      (await env.json('mempalace', ['facts', 'export', ...palace])).facts;
    const before = await graph();
    const [lines, copy] = [join(env.home, 'palace.jsonl'), join(env.home, 'copy.sqlite3')];
    await env.json('mempalace', ['export', '--jsonl', '--to', lines]);
    await env.json('mempalace', ['backup', copy]);
    const other = ['--palace', join(env.home, 'other')];
    expect(await env.json('mempalace', ['import', lines, ...other])).toMatchObject({ new: 2, facts: 2 });
    expect(await graph(...other)).toEqual(before);
    const { entries } = await env.json('mempalace', ['diary', 'read', ...other]);
    expect(entries).toMatchObject([{ agent: 'tester', content: 'Moved the port.' }]);
    await env.json('mempalace', ['facts', 'invalidate', 'shop', 'port', '8443']);
    await env.json('mempalace', ['restore', copy, '--yes']);
    expect(await graph()).toEqual(before);
    const only = join(env.home, 'wing.jsonl');
    await env.json('mempalace', ['export', '--jsonl', '--wing', 'wing_shop', '--to', only]);
    const third = ['--palace', join(env.home, 'third')];
    expect(await env.json('mempalace', ['import', only, ...third])).toMatchObject({ new: 1, facts: 1 });
  });

  it('are erased together with their source, in kept backups, too', async () => {
    const { env } = await given();
    const drawer = await drawerOf(env);
    await env.json('mempalace', ['facts', 'add', 'shop', 'port', 'eightthousand', '--drawer', drawer]);
    await env.json('mempalace', ['facts', 'add', 'shop', 'colour', 'red']);
    await env.json('mempalace', ['reembed', '--force']);
    const dry = await env.json('mempalace', ['forget', '--source', 'docs/proxy.md', '--dry-run']);
    expect(dry).toMatchObject({ facts_removed: 1 });
    const done = await env.json('mempalace', ['forget', '--source', 'docs/proxy.md', '--yes']);
    expect(done).toMatchObject({ facts_removed: 1, backups: [{ outcome: 'erased' }] });
    expect(traces(env, 'eightthousand')).toEqual([]);
    expect((await env.json('mempalace', ['facts', 'export'])).facts).toMatchObject([{ object: 'red' }]);
  });

  it('are scrubbed', async () => {
    const { env } = await given();
    const secret = ['kJ8s', 'Qw3x', 'Zt9v', 'Lm2p', 'Rb6n'].join('');
    await env.json('mempalace', ['facts', 'add', 'shop', 'password', secret, '--no-redact']);
    expect(await env.json('mempalace', ['scrub', '--dry-run'])).toMatchObject({ facts: 1 });
    expect(traces(env, secret).length).toBeGreaterThan(0);
    expect(await env.json('mempalace', ['scrub'])).toMatchObject({ facts: 1, redacted: { password: 1 } });
    expect(traces(env, secret)).toEqual([]);
  });
});
