import { statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { TestEnv } from '../support/test-env.js';
import { traces } from '../support/traces.js';

describe('mempalace facts', () => {
  it('removes control characters, and stores no secret', async () => {
    const env = new TestEnv();
    const secret = ['kJ8s', 'Qw3x', 'Zt9v', 'Lm2p', 'Rb6n'].join('');
    const refused = await env.run('mempalace', ['facts', 'add', 'a\u001b[2J', 'is', 'b']);
    expect(refused).toMatchObject({ exitCode: 2, stdout: '' });
    expect(refused.stderr).not.toContain('\u001b');
    // A refused fact creates no palace.
    expect((await env.run('mempalace', ['facts', 'stats'])).exitCode).toBe(1);
    const told = await env.run('mempalace', ['facts', 'add', 'shop', 'password', secret]);
    expect(told).toMatchObject({ exitCode: 0, stdout: 'added: │ shop password [REDACTED:password]' });
    expect(told.stderr).toContain('redacted: 1 password');
    await env.json('mempalace', ['facts', 'add', 'shop\u202e', 'uses', 'b']);
    expect((await env.run('mempalace', ['facts', 'query', 'b'])).stdout).toContain('shop\u{fffd}\tuses');
    expect(traces(env, secret)).toEqual([]);
  });

  it('does not need the run lock', async () => {
    const env = new TestEnv();
    await env.json('mempalace', ['facts', 'add', 'shop', 'host', 'a']);
    const { default: Database } = await import('better-sqlite3');
    const lock = new Database(join(env.palace, 'run.lock'));
    lock.exec('BEGIN EXCLUSIVE');
    const fact = await env.run('mempalace', ['facts', 'add', 'shop', 'port', '8443']);
    const entry = await env.run('mempalace', ['diary', 'write', '--agent', 'a', 'Told a fact.']);
    lock.close();
    expect([fact.exitCode, entry.exitCode]).toEqual([0, 0]);
  });

  it('exports to a new private file, and names what it cannot import', async () => {
    const env = new TestEnv();
    await env.json('mempalace', ['facts', 'add', 'shop', 'port', '8443']);
    const file = join(env.home, 'facts.json');
    await env.json('mempalace', ['facts', 'export', '--to', file]);
    expect(statSync(file).mode & 0o777).toBe(0o600);
    const again = await env.run('mempalace', ['facts', 'export', '--to', file]);
    expect(again).toMatchObject({ exitCode: 1, stderr: expect.stringContaining('exists already') });
    writeFileSync(file, '{"format":"mempalace-facts","version":1,"made":"","facts":[1]}');
    const outcome = await env.run('mempalace', ['facts', 'import', file]);
    expect(outcome).toMatchObject({ exitCode: 3, stdout: '0 new, 0 ended, 0 unchanged' });
    expect(outcome.stderr).toContain('warning: fact 1: ');
    const none = await env.run('mempalace', ['facts', 'import', join(env.home, 'none'), '--palace', 'p']);
    expect(none).toMatchObject({ exitCode: 1, stderr: expect.stringContaining('there is no file') });
  });
});
