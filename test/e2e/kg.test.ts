import { statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { builtOnce } from '../support/built-once.js';
import { problemsOf } from '../support/soundness.js';
import { TestEnv } from '../support/test-env.js';
import { traces } from '../support/traces.js';

const given = builtOnce(async (env) => {
  const shop = env.project('shop', { 'docs/proxy.md': '# Proxy\n\nPort 8443, since 443 needs root.\n' });
  await env.json('mempalace-docs', [shop]);
});

async function drawerOf(env: TestEnv): Promise<string> {
  const { hits } = await env.json('mempalace', ['search', 'proxy port', '--limit', '1']);
  return (hits as { drawer_id: string }[])[0]?.drawer_id ?? '';
}

describe('mempalace kg', () => {
  it('tells, changes and shows facts, and makes a palace for the first', async () => {
    const env = new TestEnv();
    const kg = (...args: string[]) => env.run('mempalace', ['kg', ...args]);
    expect(await kg('query', 'shop')).toMatchObject({ exitCode: 1, stdout: '' });
    const add = ['add', 'shop', 'default_branch', 'main', '--from', '2020-03-01'];
    expect(await kg(...add)).toEqual({
      exitCode: 0,
      stdout: 'added: shop default_branch main (since 2020-03-01)',
      stderr: '',
    });
    expect((await kg(...add)).stdout).toMatch(/^there already: /);
    const conflict = await kg('add', 'shop', 'default_branch', 'dev', '--from', '2020-04-01');
    expect(conflict.exitCode).toBe(0);
    expect(conflict.stderr).toContain('conflicts with: shop default_branch main (since 2020-03-01)\n');
    const nothing = await kg('invalidate', 'shop', 'default_branch', 'trunk');
    expect(nothing).toMatchObject({ exitCode: 4, stdout: '' });
    expect(nothing.stderr).toContain('open: shop default_branch dev');
    await kg('invalidate', 'shop', 'default_branch', 'dev', '--at', '2020-04-01');
    const changed = await kg('supersede', 'shop', 'default_branch', 'trunk', '--at', '2020-05-01');
    expect(changed.stdout.split('\n')).toEqual([
      'ended: shop default_branch main (2020-03-01 – 2020-05-01)',
      'added: shop default_branch trunk (since 2020-05-01)',
    ]);
    expect((await kg('query', 'shop', '--as-of', '2020-04-30')).stdout).toBe(
      'shop\tdefault_branch\tmain\t2020-03-01 – 2020-05-01\tnot current',
    );
    expect((await kg('query', 'shop', '--as-of', '2020-05-01')).stdout).toMatch(
      /\ttrunk\tsince 2020-05-01\t$/,
    );
    const { stdout } = await kg('timeline', '--limit', '2');
    expect(stdout.split('\n').map((row) => row.split('\t')[2])).toEqual(['dev', 'trunk']);
    expect((await kg('stats')).stdout).toBe('3 facts about 4 things, 1 current\n  default_branch  3');
    expect(await kg('query', 'nobody', '--quiet')).toEqual({ exitCode: 4, stdout: '', stderr: '' });
    expect(problemsOf(env.palace)).toEqual([]);
  });

  it('lets nothing through that a terminal would obey, and keeps no secret', async () => {
    const env = new TestEnv();
    const secret = ['kJ8s', 'Qw3x', 'Zt9v', 'Lm2p', 'Rb6n'].join('');
    const refused = await env.run('mempalace', ['kg', 'add', 'a\u001b[2J', 'is', 'b']);
    expect(refused).toMatchObject({ exitCode: 2, stdout: '' });
    expect(refused.stderr).not.toContain('\u001b');
    const told = await env.run('mempalace', ['kg', 'add', 'shop', 'password', secret]);
    expect(told).toMatchObject({ exitCode: 0, stdout: 'added: shop password [REDACTED:password]' });
    expect(told.stderr).toContain('redacted: 1 password');
    await env.json('mempalace', ['kg', 'add', 'shop\u202e', 'uses', 'b']);
    expect((await env.run('mempalace', ['kg', 'query', 'b'])).stdout).toContain('shop\u{fffd}\tuses');
    expect(traces(env, secret)).toEqual([]);
  });

  it('needs no run lock', async () => {
    const { env } = await given();
    const { default: Database } = await import('better-sqlite3');
    const lock = new Database(join(env.palace, 'run.lock'));
    lock.exec('BEGIN EXCLUSIVE');
    const fact = await env.run('mempalace', ['kg', 'add', 'shop', 'port', '8443']);
    const entry = await env.run('mempalace', ['diary', 'write', '--agent', 'a', 'Told a fact.']);
    lock.close();
    expect([fact.exitCode, entry.exitCode]).toEqual([0, 0]);
  });

  it('goes with the palace: export, import, backup, restore', async () => {
    const { env } = await given();
    const drawer = await drawerOf(env);
    await env.json('mempalace', ['kg', 'add', 'shop', 'port', '8443', '--drawer', drawer]);
    await env.json('mempalace', ['kg', 'add', 'ada', 'works_on', 'shop']);
    await env.json('mempalace', ['diary', 'write', '--agent', 'tester', 'Moved the port.']);
    const graph = async (...palace: string[]) =>
      (await env.json('mempalace', ['kg', 'export', ...palace])).facts;
    const before = await graph();
    const [lines, copy] = [join(env.home, 'palace.jsonl'), join(env.home, 'copy.sqlite3')];
    await env.json('mempalace', ['export', '--jsonl', '--to', lines]);
    await env.json('mempalace', ['backup', copy]);
    const other = ['--palace', join(env.home, 'other')];
    expect(await env.json('mempalace', ['import', lines, ...other])).toMatchObject({ new: 2, facts: 2 });
    expect(await graph(...other)).toEqual(before);
    const { entries } = await env.json('mempalace', ['diary', 'read', ...other]);
    expect(entries).toMatchObject([{ agent: 'tester', content: 'Moved the port.' }]);
    expect(await env.json('mempalace', ['import', lines, ...other])).toMatchObject({ new: 0, facts: 0 });
    await env.json('mempalace', ['kg', 'invalidate', 'shop', 'port', '8443']);
    await env.json('mempalace', ['restore', copy, '--yes']);
    expect(await graph()).toEqual(before);
    const only = join(env.home, 'wing.jsonl');
    await env.json('mempalace', ['export', '--jsonl', '--wing', 'wing_shop', '--to', only]);
    const third = ['--palace', join(env.home, 'third')];
    expect(await env.json('mempalace', ['import', only, ...third])).toMatchObject({ new: 1, facts: 1 });
  });

  it('loses a fact with the source that it was taken from, in kept backups, too', async () => {
    const { env } = await given();
    const drawer = await drawerOf(env);
    await env.json('mempalace', ['kg', 'add', 'shop', 'port', 'eightthousand', '--drawer', drawer]);
    await env.json('mempalace', ['kg', 'add', 'shop', 'colour', 'red']);
    await env.json('mempalace', ['reembed', '--force']);
    const dry = await env.json('mempalace', ['forget', '--source', 'docs/proxy.md', '--dry-run']);
    expect(dry).toMatchObject({ facts_removed: 1 });
    const done = await env.json('mempalace', ['forget', '--source', 'docs/proxy.md', '--yes']);
    expect(done).toMatchObject({ facts_removed: 1, backups: [{ outcome: 'erased' }] });
    expect(traces(env, 'eightthousand')).toEqual([]);
    expect((await env.json('mempalace', ['kg', 'export'])).facts).toMatchObject([{ object: 'red' }]);
  });

  it('is scrubbed', async () => {
    const { env } = await given();
    const secret = ['kJ8s', 'Qw3x', 'Zt9v', 'Lm2p', 'Rb6n'].join('');
    await env.json('mempalace', ['kg', 'add', 'shop', 'password', secret, '--no-redact']);
    expect(await env.json('mempalace', ['scrub', '--dry-run'])).toMatchObject({ facts: 1 });
    expect(traces(env, secret).length).toBeGreaterThan(0);
    expect(await env.json('mempalace', ['scrub'])).toMatchObject({ facts: 1, redacted: { password: 1 } });
    expect(traces(env, secret)).toEqual([]);
  });

  it('exports to a private file of its own, and names what it cannot import', async () => {
    const env = new TestEnv();
    await env.json('mempalace', ['kg', 'add', 'shop', 'port', '8443']);
    const file = join(env.home, 'facts.json');
    await env.json('mempalace', ['kg', 'export', '--to', file]);
    expect(statSync(file).mode & 0o777).toBe(0o600);
    const again = await env.run('mempalace', ['kg', 'export', '--to', file]);
    expect(again).toMatchObject({ exitCode: 1, stderr: expect.stringContaining('is there already') });
    writeFileSync(file, '{"format":"mempalace-facts","version":1,"made":"","facts":[1]}');
    const outcome = await env.run('mempalace', ['kg', 'import', file]);
    expect(outcome).toMatchObject({ exitCode: 3, stdout: '0 new, 0 ended, 0 unchanged' });
    expect(outcome.stderr).toContain('warning: fact 1: ');
    const none = await env.run('mempalace', ['kg', 'import', join(env.home, 'none'), '--palace', 'p']);
    expect(none).toMatchObject({ exitCode: 1, stderr: expect.stringContaining('there is no file') });
  });
});
