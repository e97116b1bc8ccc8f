import { existsSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { execa } from 'execa';
import { describe, expect } from 'vitest';
import { it } from '../support/it-env.js';

const HANDBOOK = `# Handbook

## Rounding

Money is rounded once, on the total, never per line item.

## Releases

A release is cut on Thursdays. The night before, the staging database is copied.
`;

const FILES = {
  'README.md': '# Shop\n\nA small web shop.\n',
  'docs/handbook.md': HANDBOOK,
  'src/cart.js': 'export const total = 1;\n',
  'package-lock.json': '{}',
  '.env': 'SHOP=1\n',
};

describe('mempalace-docs', () => {
  it('files the documents of a project and finds them again', async ({ env }) => {
    const shop = env.project('shop', FILES);
    const first = await env.json('mempalace-docs', [shop]);
    expect(first).toMatchObject({
      new: 2,
      changed: 0,
      unchanged: 0,
      removed: 0,
      wing: 'wing_shop',
      problems: [],
    });
    const found = await env.json('mempalace', ['search', 'when do we round prices?', '--limit', '1']);
    expect(found).toMatchObject({
      query: 'when do we round prices?',
      hits: [
        {
          wing: 'wing_shop',
          room: 'docs',
          source_file: 'mempalace-docs/wing_shop/shop/docs/handbook.md',
          origin: join(shop, 'docs/handbook.md'),
          text: expect.stringContaining('rounded once, on the total'),
          title: 'Handbook',
          session_id: null,
        },
      ],
    });
    expect(await env.json('mempalace-docs', [shop])).toMatchObject({
      new: 0,
      unchanged: 2,
      drawers_added: 0,
      embedded: 0,
    });
  });

  it('stages now and files later, from the staging folder alone', async ({ env }) => {
    const shop = env.project('shop', FILES);
    await env.json('mempalace-docs', [shop, '--stage-only']);
    expect(existsSync(env.palace)).toBe(false);
    const mined = await env.json('mempalace', ['mine', join(env.cache, 'mempalace-docs')]);
    expect(mined).toMatchObject({ new: 2, problems: [] });
    expect(await env.json('mempalace-docs', [shop])).toMatchObject({
      new: 0,
      unchanged: 2,
      drawers_added: 0,
    });
  });

  it('--dry-run reports like the run and changes nothing', async ({ env }) => {
    const shop = env.project('shop', { ...FILES, 'late.txt': `${'text '.repeat(2000)}\0binary` });
    const untouched = env.fingerprint();
    expect(await env.json('mempalace-docs', [shop, '--dry-run'])).toMatchObject({
      new: 2,
      removed: 0,
      wing: 'wing_shop',
    });
    expect(env.fingerprint()).toBe(untouched);
    await env.json('mempalace-docs', [shop]);
    env.edit(join(shop, 'README.md'), '# Shop\n\nA larger web shop.\n');
    rmSync(join(shop, 'docs/handbook.md'));
    env.project('shop', { 'NEWS.md': 'news' });
    const before = env.fingerprint();
    const dry = await env.json('mempalace-docs', [shop, '--dry-run']);
    const human = await env.run('mempalace-docs', [shop, '--dry-run', '--verbose']);
    expect(env.fingerprint()).toBe(before);
    expect(dry).toMatchObject({ new: 1, changed: 1, unchanged: 0, removed: 1 });
    expect(human.stdout).toContain('would file: 1 new, 1 changed, 0 unchanged, 1 removed');
    expect(human.stdout).toContain('skipped 1: source code');
    expect(human.stdout).toContain('src/cart.js');
    expect(await env.json('mempalace-docs', [shop])).toMatchObject({
      new: 1,
      changed: 1,
      unchanged: 0,
      removed: 1,
    });
  });

  it('--dry-run names what changed, and counts what did not', async ({ env }) => {
    const notes = Object.fromEntries(Array.from({ length: 12 }, (_, n) => [`docs/${n}.md`, `# Note ${n}\n`]));
    const shop = env.project('shop', notes);
    await env.json('mempalace-docs', [shop]);
    env.edit(join(shop, 'docs/9.md'), '# Note 9\n\nIt changed.\n');
    rmSync(join(shop, 'docs/3.md'));
    const { stdout } = await env.run('mempalace-docs', [shop, '--dry-run']);
    expect(stdout).toContain('would take 11 Markdown, 10 unchanged\n  changed   docs/9.md\n');
    expect(stdout).toContain('docs/3.md');
    expect(stdout).not.toMatch(/docs\/(?:0|1|2|4)\.md|more new/);
  });

  it('says what to do with a folder of projects', async ({ env }) => {
    const code = env.project('code', { 'shop/.git/HEAD': '', 'shop/a.md': '# A\n', 'my site/.git/HEAD': '' });
    const { exitCode, stderr } = await env.run('mempalace-docs', [code]);
    expect(exitCode).toBe(0);
    expect(stderr).toContain(
      `this folder contains 2 projects; list what you want: mempalace projects add '${code}/my site' ${code}/shop, then mempalace-docs --all`,
    );
  });

  it('says so, too, if a document is beside the projects, and not of a project with others in it', async ({
    env,
  }) => {
    const code = env.project('code', { 'shop/.git/HEAD': '', 'notes.md': '# Own\n' });
    expect((await env.run('mempalace-docs', [code])).stderr).toContain('this folder contains 1 project;');
    const main = env.project('main', { 'mempalace.yaml': 'wing: m\n', 'sub/.git/HEAD': '', 'a.md': '# A\n' });
    expect((await env.run('mempalace-docs', [main])).stderr).not.toContain('this folder contains');
  });

  it('follows a project to another wing, and mempalace.yaml', async ({ env }) => {
    const shop = env.project('shop', FILES);
    const { drawers_total } = await env.json('mempalace-docs', [shop]);
    const moved = await env.json('mempalace-docs', [shop, '--wing', 'money']);
    expect(moved).toMatchObject({ wing: 'money', moved: 2, drawers_added: 0, drawers_total });
    expect(readdirSync(join(env.cache, 'mempalace-docs'))).not.toContain('wing_shop/shop');
    expect(existsSync(join(env.cache, 'mempalace-docs/wing_shop/shop'))).toBe(false);
    expect(await env.json('mempalace-docs', [shop])).toMatchObject({ wing: 'money', moved: 0, unchanged: 2 });
    env.project('shop', {
      'mempalace.yaml': 'wing: yard\nrooms:\n  - name: money\n    keywords: [handbook]\n',
    });
    expect(await env.json('mempalace-docs', [shop])).toMatchObject({
      wing: 'yard',
      drawers_added: 0,
      drawers_total,
    });
    const status = await env.json('mempalace', ['status']);
    expect(status).toMatchObject({
      wings: [{ wing: 'yard', rooms: [{ room: 'general' }, { room: 'money' }] }],
    });
  });

  it('does not duplicate what `mempalace mine` filed from the same folder', async ({ env }) => {
    const shop = env.project('shop', FILES);
    const { drawers_total } = await env.json('mempalace', ['mine', shop, '--wing', 'raw']);
    expect(await env.json('mempalace-docs', [shop])).toMatchObject({
      wing: 'raw',
      drawers_added: 0,
      drawers_total,
    });
    const part = ['--allow-removals', '--include', '*.txt'];
    const refused = await env.run('mempalace', ['mine', shop, '--mode', 'projects', ...part]);
    expect([refused.exitCode, refused.stderr]).toEqual([2, expect.stringContaining('a complete run')]);
    expect(await env.json('mempalace', ['mine', shop, '--mode', 'projects'])).toMatchObject({
      drawers_added: 0,
      drawers_total,
    });
  });

  it('recognises a moved project, and distinguishes a second checkout', async ({ env }) => {
    const shop = env.project('shop', FILES);
    const git = (...args: string[]) => execa('git', args, { cwd: shop, env: env.env });
    await git('init', '-q');
    await git('add', 'README.md');
    await git('-c', 'user.name=a', '-c', 'user.email=a@b', 'commit', '-qm', 'first');
    const { drawers_total } = await env.json('mempalace-docs', [shop]);
    const second = join(env.home, 'second');
    await execa('cp', ['-r', shop, second]);
    const checkout = await env.json('mempalace-docs', [second]);
    expect(checkout).toMatchObject({
      new: 2,
      removed: 0,
      embedded: 0,
      drawers_total: Number(drawers_total) * 2,
    });
    const moved = join(env.home, 'renamed');
    renameSync(shop, moved);
    expect(await env.json('mempalace-docs', [moved])).toMatchObject({
      wing: 'wing_shop',
      new: 0,
      unchanged: 2,
      drawers_added: 0,
    });
  });

  it('a folder inside a project belongs to it', async ({ env }) => {
    const shop = env.project('shop', FILES);
    expect(await env.json('mempalace-docs', [join(shop, 'docs')])).toMatchObject({
      new: 1,
      wing: 'wing_docs',
    });
    const whole = await env.json('mempalace-docs', [shop]);
    expect(whole).toMatchObject({ new: 2, removed: 1, drawers_total: whole.drawers_total });
    expect((await env.json('mempalace', ['status'])).sources).toBe(2);
    rmSync(join(shop, 'docs/handbook.md'));
    env.project('shop', { 'docs/other.md': 'other' });
    expect(await env.json('mempalace-docs', [join(shop, 'docs')])).toMatchObject({
      new: 1,
      removed: 1,
      wing: 'wing_shop',
    });
    expect((await env.json('mempalace', ['status'])).sources).toBe(2);
  });

  it('a run with patterns removes nothing; the next plain run does, and says so', async ({ env }) => {
    const shop = env.project('shop', FILES);
    await env.json('mempalace-docs', [shop]);
    expect(await env.json('mempalace-docs', [shop, '--include', '*.js'])).toMatchObject({
      new: 1,
      removed: 0,
    });
    expect(await env.json('mempalace-docs', [shop, '--exclude', 'docs'])).toMatchObject({ removed: 0 });
    expect(await env.json('mempalace-docs', [shop])).toMatchObject({ removed: 1, unchanged: 2 });
  });

  it('removes test data that an earlier version filed, without asking; include_patterns keep it', async ({
    env,
  }) => {
    const data = Object.fromEntries(
      Array.from({ length: 25 }, (_, index) => [`tests/fixtures/${index}.md`, `# Fixture ${index}\n`]),
    );
    const files = { 'README.md': '# Shop\n', 'mempalace.yaml': 'include_patterns: ["tests/fixtures/"]\n' };
    const shop = env.project('shop', { ...files, ...data });
    expect(await env.json('mempalace-docs', [shop])).toMatchObject({ new: 26 });
    writeFileSync(join(shop, 'mempalace.yaml'), 'exclude_pattern: ["README.md"]\n');
    const dry = await env.run('mempalace-docs', [shop, '--dry-run']);
    expect(dry.stdout + dry.stderr).toContain('test data');
    const run = await env.run('mempalace-docs', [shop, '--json']);
    expect(run.exitCode).toBe(0);
    expect(JSON.parse(run.stdout)).toMatchObject({ removed: 25, unchanged: 1 });
    expect(run.stderr).toContain(
      'mempalace.yaml:1: exclude_pattern is not a key and is ignored, did you mean',
    );
  });

  it('refuses to remove every document, with exit code 3', async ({ env }) => {
    const shop = env.project('shop', FILES);
    const { drawers_total } = await env.json('mempalace-docs', [shop]);
    rmSync(join(shop, 'docs'), { recursive: true });
    rmSync(join(shop, 'README.md'));
    const held = await env.run('mempalace-docs', [shop]);
    expect(held.exitCode).toBe(3);
    expect(held.stderr).toContain('--allow-removals');
    expect((await env.json('mempalace', ['status'])).drawers).toBe(drawers_total);
    expect(await env.json('mempalace-docs', [shop, '--allow-removals'])).toMatchObject({
      removed: 2,
      drawers_total: 0,
    });
  });

  it('refuses a folder that is not a project, with the reason', async ({ env }) => {
    for (const dir of [env.home, '/', join(env.home, '..')]) {
      const outcome = await env.run('mempalace-docs', [dir]);
      expect(outcome.exitCode, dir).toBe(2);
      expect(outcome.stderr).toMatch(/^error: .+\n {2}hint: /);
      expect(outcome.stdout).toBe('');
    }
    expect((await env.run('mempalace-docs', [join(env.home, 'nowhere')])).exitCode).toBe(1);
    expect((await env.run('mempalace-docs', [])).exitCode).toBe(2);
    expect((await env.run('mempalace-docs', [env.home, '--unknown'])).exitCode).toBe(2);
  });

  it('a malformed mempalace.yaml ends with 2, file, line and reason', async ({ env }) => {
    for (const [yaml, line] of [
      ['wing: [\n', 2],
      ['rooms:\n  - description: x\n', 2],
      ['wing: ../../etc\n', 1],
      ['include_patterns:\n  - ok\n  - ../../secret\n', 3],
    ] as const) {
      const shop = env.project('shop', { 'mempalace.yaml': yaml, 'a.md': 'a' });
      const outcome = await env.run('mempalace-docs', [shop]);
      expect(outcome.exitCode, yaml).toBe(2);
      expect(outcome.stderr).toMatch(new RegExp(`mempalace\\.yaml:(${line}|${line - 1}): .+`));
    }
    expect(existsSync(join(env.palace, 'palace.sqlite3'))).toBe(false);
  });

  it('redacts secrets before they reach the cache or the palace', async ({ env }) => {
    const token = ['ghp', 'aB3dE5gH7jK9mN1pQ3sT5vX7zA9cD1fG3hJ5'].join('_');
    const shop = env.project('shop', { 'a.md': `token ${token}\n<private>my diary</private>\n` });
    const result = await env.json('mempalace-docs', [shop]);
    expect(Object.values(result.redacted as Record<string, number>).reduce((a, b) => a + b, 0)).toBe(2);
    const staged = readFileSync(join(env.cache, 'mempalace-docs/wing_shop/shop/a.md'), 'utf8');
    expect(staged).toMatch(/\[REDACTED:[^\]]+\]\n\[PRIVATE\]/);
    expect(readFileSync(join(env.palace, 'palace.sqlite3')).includes(token)).toBe(false);
    const kept = await env.run('mempalace-docs', [shop, '--no-redact']);
    expect(kept.stderr).toContain('--no-redact');
    expect(readFileSync(join(env.cache, 'mempalace-docs/wing_shop/shop/a.md'), 'utf8')).toContain(token);
  });

  it('is silent under --quiet', async ({ env }) => {
    const shop = env.project('shop', FILES);
    expect(await env.run('mempalace-docs', [shop, '--quiet'])).toEqual({
      stdout: '',
      stderr: '',
      exitCode: 0,
    });
  });
});
