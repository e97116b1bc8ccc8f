import { readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { schemas } from '../support/json-schemas.js';
import { TestEnv } from '../support/test-env.js';

const FILES = {
  '.git/HEAD': 'ref: refs/heads/main\n',
  'README.md': '# Shop\n\nA shop.\n',
  'docs/billing/README.md': '# How money moves\n\nIt is rounded once.\n',
  'docs/billing/tax.md': '# Tax\n\nNone on books.\n',
  'docs/adr/0001.md': '# Ports\n\nPort 8443.\n',
  'docs/adr/0002.md': '# Days\n\nThursdays.\n',
};

describe('mempalace init', () => {
  it('writes the proposal and nothing else, and documents go where it says', async () => {
    const env = new TestEnv();
    const project = env.project('Shop', FILES);
    const before = env.fingerprint();
    const dry = await env.run('mempalace', ['init', project, '--dry-run']);
    expect(dry).toMatchObject({ exitCode: 0 });
    expect(dry.stdout).toContain(
      'wing: wing_shop\nrooms:\n  - name: billing\n    description: How money moves\n',
    );
    expect(dry.stderr).toMatch(/billing +2 documents\n.*decisions +2 documents\n.*general +1 document /);
    expect(env.fingerprint()).toBe(before);
    const made = await env.json('mempalace', ['init', '--yes', project]);
    expect(schemas.init.parse(made)).toMatchObject({ written: true, existed: false, wing: 'wing_shop' });
    const file = join(project, 'mempalace.yaml');
    expect(readFileSync(file, 'utf8')).toBe(`${dry.stdout}\n`);
    expect(readdirSync(project)).toEqual(['.git', 'README.md', 'docs', 'mempalace.yaml']);
    rmSync(file);
    expect(readdirSync(env.home)).toEqual(['Shop']);
    await env.json('mempalace', ['init', '--yes', project]);
    await env.json('mempalace-docs', [project]);
    const status = schemas.status.parse(await env.json('mempalace', ['status']));
    expect(status.wings.map(({ wing }) => wing)).toEqual(['wing_shop']);
    expect(status.wings[0]?.rooms.map(({ room, sources }) => [room, sources])).toEqual([
      ['billing', 2],
      ['decisions', 2],
      ['general', 1],
    ]);
  });

  it('does not change an existing file', async () => {
    const env = new TestEnv();
    const project = env.project('shop', { ...FILES, 'mempalace.yaml': 'wing: mine\n' });
    const before = env.fingerprint();
    const { stdout, exitCode } = await env.run('mempalace', ['init', '--yes', project]);
    expect({ stdout, exitCode }).toEqual({
      stdout: `${project}/mempalace.yaml exists already and is not changed`,
      exitCode: 0,
    });
    const shown = schemas.init.parse(await env.json('mempalace', ['init', project]));
    expect(shown).toMatchObject({ existed: true, written: false, wing: 'mine', rooms: [] });
    expect(env.fingerprint()).toBe(before);
  });

  it('asks for confirmation, and requires --yes without a terminal', async () => {
    const env = new TestEnv();
    const project = env.project('shop', FILES);
    const before = env.fingerprint();
    const outcome = await env.run('mempalace', ['init', project]);
    expect(outcome.exitCode).toBe(2);
    expect(outcome.stderr).toContain('hint: --yes agrees');
    expect(env.fingerprint()).toBe(before);
  });

  it('keeps the wing of a filed project', async () => {
    const env = new TestEnv();
    const project = env.project('shop', FILES);
    await env.json('mempalace-docs', [project, '--wing', 'commerce']);
    expect(await env.json('mempalace', ['init', '--dry-run', project])).toMatchObject({ wing: 'commerce' });
  });

  it('applies to the root of a project', async () => {
    const env = new TestEnv();
    const project = env.project('shop', FILES);
    const inner = await env.run('mempalace', ['init', '--yes', join(project, 'docs')]);
    expect(inner).toMatchObject({
      exitCode: 2,
      stderr: expect.stringContaining(`hint: mempalace init ${project}`),
    });
    expect((await env.run('mempalace', ['init', '--yes', env.home])).exitCode).toBe(2);
    expect((await env.run('mempalace', ['init', '--yes', join(env.home, 'none')])).exitCode).toBe(1);
  });
});
