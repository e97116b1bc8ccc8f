import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { describe, expect } from 'vitest';
import { keptBackups, Palace, palaceFile } from '../../src/store/index.js';
import { contentOf } from '../support/drawers.js';
import { it } from '../support/it-env.js';
import { exchange } from '../support/opencode-database.js';
import { filledMachine } from '../support/real-palace.js';
import { doomedBy, remainsOf } from '../support/remains.js';
import { problemsOf } from '../support/soundness.js';
import type { TestEnv } from '../support/test-env.js';
import { traces } from '../support/traces.js';

const filledEnv = filledMachine();

const LOGIN = 'ses_0000000001login';
const FORK = 'ses_0000000002forks';
const SAID = ['sign-in page', 'SameSite', 'Set it to Lax', 'auth/session.ts'];
const TITLE = 'Login broken after the upgrade';

/** The palace that the programs made, opened for writing. */
function temporaryPalaceOf(folder: string): Palace {
  return Palace.write(
    folder,
    Palace.look(folder, ({ model }) => ({ ...model })),
  );
}

async function textOf(env: TestEnv, session: string): Promise<string> {
  return String((await env.json('mempalace', ['show', session])).text);
}

describe('mempalace forget', () => {
  it('erases a session from palace, cache and kept backups, and does not file it again', async () => {
    const { env, history } = await filledEnv();
    await env.json('mempalace', ['reembed', '--force']);
    // A title in the record of a run, as left by a run that could not read a session.
    const raw = new Database(palaceFile(env.palace));
    const problem = { origin: 'opencode://elsewhere', reason: 'unreadable rows', detail: `${TITLE}: 1 row` };
    raw.prepare('UPDATE runs SET skipped = ? WHERE id = 1').run(JSON.stringify([problem]));
    raw.close();
    expect(traces(env, ...SAID, TITLE).length).toBeGreaterThan(8);
    const untouched = env.fingerprint();
    const plan = await env.json('mempalace', ['forget', '--session', LOGIN, '--dry-run']);
    expect(plan).toMatchObject({
      sources: [{ source_key: `opencode:${LOGIN}`, title: TITLE }],
      staged_removed: 1,
    });
    expect(plan.backups).toHaveLength(1);
    const doomed = doomedBy(env.palace, `opencode:${LOGIN}`, [...SAID, TITLE]);
    expect(doomed.bytes.length).toBeGreaterThan(5);
    const remains = () => remainsOf(doomed, join(env.home, '.mempalace'), env.cache);
    // Everything that is searched for is present before: words, compressed texts, vectors, index entries.
    const there = remains().join('\n');
    for (const where of [
      'bytes of it',
      'source_texts',
      'drawers',
      'lexical_index',
      'runs',
      '.jsonl',
      'backups',
    ])
      expect(there).toContain(where);
    const asked = await env.run('mempalace', ['forget', '--session', LOGIN]);
    expect(asked).toMatchObject({ exitCode: 2, stderr: expect.stringContaining('--dry-run') });
    expect(env.fingerprint()).toBe(untouched);

    const done = await env.json('mempalace', ['forget', '--session', LOGIN, '--yes']);
    expect(done).toMatchObject({ staged_removed: 1, log_emptied: true, unknown: [], already_forgotten: 0 });
    expect(done.backups).toEqual([{ file: keptBackups(env.palace)[0]?.file, outcome: 'erased' }]);
    expect(remains()).toEqual([]);
    expect(problemsOf(env.palace)).toEqual([]);
    expect((await textOf(env, FORK)).includes('keychain')).toBe(true);

    const after = await env.json('mempalace-session', []);
    expect(after).toMatchObject({ new: 0, changed: 0, removed: 0, skipped_by_reason: { forgotten: 1 } });
    expect(after.problems).toEqual([]);
    await env.json('mempalace-session', ['--force']);
    await env.json('mempalace-session', ['--session', LOGIN]);
    expect(traces(env, ...SAID, TITLE)).toEqual([]);

    // Its fork grows, is staged again in full, and still leaves the copied part out.
    history.addMessage(FORK, {
      role: 'user',
      at: Date.UTC(2026, 2, 5),
      parts: ['One more thing on the app.'],
    });
    rmSync(env.cache, { recursive: true });
    const grown = await env.json('mempalace-session', []);
    expect(grown).toMatchObject({ changed: 1, problems: [] });
    expect(await textOf(env, FORK)).toContain('One more thing on the app.');
    expect(traces(env, ...SAID, TITLE)).toEqual([]);

    // Also after opencode has lost the original.
    history.database.prepare('DELETE FROM session WHERE id = ?').run(LOGIN);
    history.database.prepare('DELETE FROM message WHERE session_id = ?').run(LOGIN);
    history.database.prepare('DELETE FROM part WHERE session_id = ?').run(LOGIN);
    history.addMessage(FORK, { role: 'user', at: Date.UTC(2026, 2, 6), parts: ['And the tablet?'] });
    expect(await env.json('mempalace-session', [])).toMatchObject({ changed: 1, problems: [] });
    expect(await textOf(env, FORK)).toContain('And the tablet?');
    expect(traces(env, ...SAID)).toEqual([]);
    expect(problemsOf(env.palace)).toEqual([]);

    const again = await env.json('mempalace', ['forget', '--session', LOGIN, '--yes']);
    expect(again).toMatchObject({ sources: [], already_forgotten: 1, drawers_removed: 0 });
    history.close();
  }, 120_000);

  it('erases a fork that was filed with the copied messages', async () => {
    const { env, history } = await filledEnv();
    rmSync(env.palace, { recursive: true });
    rmSync(env.cache, { recursive: true });
    await env.json('mempalace-session', ['--session', FORK]);
    expect(await textOf(env, FORK)).toContain('SameSite');
    await env.json('mempalace-session', ['--session', LOGIN]);
    await env.json('mempalace', ['forget', '--session', LOGIN, '--yes']);
    const run = await env.json('mempalace-session', []);
    expect(run).toMatchObject({ changed: 1, problems: [] });
    expect(await textOf(env, FORK)).not.toContain('SameSite');
    expect(traces(env, ...SAID)).toEqual([]);
    // With the original allowed again, everything is as if nothing had been forgotten.
    await env.json('mempalace', ['forget', '--session', LOGIN, '--allow-again']);
    expect(await env.json('mempalace-session', ['--since'])).toMatchObject({ new: 1, problems: [] });
    expect(await textOf(env, LOGIN)).toContain('SameSite');
    expect(await textOf(env, FORK)).not.toContain('SameSite');
    history.close();
  }, 120_000);

  it('excludes documents named by path, key or wing, until they are allowed again', async () => {
    const { env, shop } = await filledEnv();
    const before = contentOf(env.palace);
    const handbook = join(shop, 'docs/handbook.md');
    const done = await env.json('mempalace', ['forget', '--source', handbook, '--yes']);
    expect(done).toMatchObject({ staged_removed: 1, sources: [{ origin: handbook }] });
    expect(traces(env, 'Money is rounded', 'Rounding')).toEqual([]);
    expect(await env.json('mempalace-docs', [shop])).toMatchObject({
      new: 0,
      removed: 0,
      skipped_by_reason: { forgotten: 1 },
    });
    expect(await env.json('mempalace-docs', [shop, '--dry-run'])).toMatchObject({ new: 0, unchanged: 1 });
    expect(await env.json('mempalace-docs', [shop, '--force', '--include', '*.md'])).toMatchObject({
      new: 0,
    });
    expect(traces(env, 'Money is rounded')).toEqual([]);
    const rest = await env.json('mempalace', ['forget', '--wing', 'wing_shop', '--yes']);
    expect(rest).toMatchObject({ sources: [{ title: 'Shop' }], already_forgotten: 1 });
    expect(await env.json('mempalace-docs', [shop])).toMatchObject({ new: 0, problems: [] });
    const { tombstones } = await env.json('mempalace', ['forget', '--list']);
    expect(tombstones).toHaveLength(2);
    expect(JSON.stringify(tombstones)).not.toMatch(/Shop|Rounding/);
    const key = String((rest.sources as { source_key: string }[])[0]?.source_key);
    const dry = await env.json('mempalace', ['forget', '--source', key, '--allow-again', '--dry-run']);
    expect(dry.allowed).toHaveLength(1);
    expect(await env.json('mempalace-docs', [shop])).toMatchObject({ new: 0 });
    await env.json('mempalace', ['forget', '--wing', 'wing_shop', '--allow-again']);
    expect(await env.json('mempalace-docs', [shop])).toMatchObject({ new: 2 });
    expect(contentOf(env.palace)).toEqual(before);
  }, 120_000);

  it('excludes sources that were staged elsewhere, and the sources of a run', async () => {
    const { env, shop } = await filledEnv();
    const { runs } = await env.json('mempalace', ['list', 'runs']);
    const first = (runs as { id: number; command: string }[]).at(-1);
    const staged = join(env.cache, 'mempalace-docs/wing_shop/shop');
    const kept = readdirSync(staged, { recursive: true, withFileTypes: true })
      .filter((item) => item.isFile() && !item.name.startsWith('.lock'))
      .map(
        (item) => [join(item.parentPath, item.name), readFileSync(join(item.parentPath, item.name))] as const,
      );
    const done = await env.json('mempalace', ['forget', '--run', String(first?.id), '--yes']);
    expect((done.sources as unknown[]).length).toBe(2);
    expect(await env.json('mempalace-docs', [shop])).toMatchObject({
      new: 0,
      skipped_by_reason: { forgotten: 2 },
    });
    // A copy of the cache from before the forget.
    await env.json('mempalace-docs', [shop, '--stage-only']);
    for (const [path, bytes] of kept) {
      rmSync(path, { force: true });
      const folder = join(path, '..');
      if (!existsSync(folder)) continue;
      writeFileSync(path, bytes, { mode: 0o600 });
    }
    const mined = await env.run('mempalace', ['mine', staged, '--json']);
    expect(JSON.parse(mined.stdout)).toMatchObject({ new: 0, drawers_added: 0 });
    expect(JSON.parse(mined.stdout).skipped_by_reason.forgotten).toBeGreaterThan(0);
  }, 120_000);

  it('excludes a document even if its project changes, and erases it under every key', async ({ env }) => {
    const needle = 'zanzibar marmalade';
    const outer = env.project('outer', { 'docs/o.md': '# Out\n', 'inner/x.md': `# In\n\n${needle}\n` });
    const inner = join(outer, 'inner');
    // First under the key of the inner folder, then as part of the outer project.
    await env.json('mempalace-docs', [inner]);
    await env.json('mempalace', ['forget', '--source', join(inner, 'x.md'), '--yes']);
    const around = await env.json('mempalace-docs', [outer]);
    expect(around).toMatchObject({ new: 1, skipped_by_reason: { forgotten: 1 } });
    expect(traces(env, needle)).toEqual([]);

    // Filed under the outer key, also in a backup and a mirror; then the inner folder becomes its own project.
    await env.json('mempalace', ['forget', '--source', join(inner, 'x.md'), '--allow-again']);
    await env.json('mempalace-docs', [outer]);
    await env.json('mempalace', ['reembed', '--force']);
    const copy = join(env.home, 'copy.sqlite3');
    await env.json('mempalace', ['backup', copy]);
    mkdirSync(join(inner, '.git'));
    await env.json('mempalace-docs', [inner]);
    expect(traces(env, needle).length).toBeGreaterThan(3);
    const done = await env.json('mempalace', ['forget', '--source', join(inner, 'x.md'), '--yes']);
    expect(done).toMatchObject({ staged_removed: 2, backups: [{ outcome: 'erased' }] });
    expect(traces(env, needle)).toEqual([]);
    const restored = await env.json('mempalace', ['restore', copy, '--yes']);
    expect(restored).toMatchObject({ forgotten: 1 });
    rmSync(join(inner, '.git'), { recursive: true });
    await env.json('mempalace-docs', [outer]);
    expect(traces(env, needle)).toEqual([]);
  });

  it('refuses a selection that is empty or too large', async () => {
    const { env, shop } = await filledEnv();
    const loud = await env.run('mempalace', ['forget', '--wing', 'wing_none', '--yes']);
    expect(loud).toMatchObject({
      exitCode: 4,
      stdout: '',
      stderr: expect.stringContaining('there is no wing "wing_none"'),
    });
    const none = await env.run('mempalace', ['forget', '--run', '99', '--yes']);
    expect(none).toMatchObject({
      exitCode: 4,
      stderr: expect.stringContaining('nothing in the palace matches'),
    });
    const quiet = await env.run('mempalace', ['forget', '--run', '99', '--yes', '--quiet']);
    expect(quiet).toMatchObject({ exitCode: 4, stdout: '', stderr: '' });
    const both = await env.run('mempalace', ['forget', '--wing', 'a', '--run', '1']);
    expect(both).toMatchObject({ exitCode: 2, stderr: expect.stringContaining('is needed, and only one') });
    expect((await env.run('mempalace', ['forget'])).stderr).toMatch(/--list is needed$/m);
    expect((await env.run('mempalace', ['forget', '--run', 'x'])).exitCode).toBe(2);
    env.edit(join(shop, 'docs/README.md'), '# Other\n');
    await env.json('mempalace-docs', [shop]);
    const several = await env.run('mempalace', ['forget', '--source', 'README.md', '--yes']);
    expect(several).toMatchObject({ exitCode: 2, stderr: expect.stringContaining('several') });
    const asked = ['forget', '--source', join(shop, 'docs/handbook.md')];
    const { preview } = await env.json('mempalace', [...asked, '--dry-run']);
    expect(preview).toMatch(/^[0-9a-f]{16}$/);
    env.edit(join(shop, 'docs/handbook.md'), '# Another\n');
    await env.json('mempalace-docs', [shop]);
    const late = await env.run('mempalace', [...asked, '--preview', preview as string, '--yes']);
    expect(late).toMatchObject({ exitCode: 1, stderr: expect.stringContaining('has changed since') });
    const { preview: now } = await env.json('mempalace', [...asked, '--dry-run']);
    const done = await env.json('mempalace', [...asked, '--preview', now as string, '--yes']);
    expect(done).toMatchObject({ drawers_removed: 1 });
    const never = await env.run('mempalace', ['forget', '--session', LOGIN, '--allow-again']);
    expect(never).toMatchObject({
      exitCode: 4,
      stderr: expect.stringContaining('no forgotten source matches'),
    });
  }, 120_000);

  it('stays in force when an earlier backup is restored', async () => {
    const { env } = await filledEnv();
    const file = join(env.home, 'copy.sqlite3');
    await env.json('mempalace', ['backup', file]);
    await env.json('mempalace', ['forget', '--session', LOGIN, '--yes']);
    const plan = await env.json('mempalace', ['restore', file, '--dry-run']);
    expect(plan).toMatchObject({ forgotten: 1 });
    const restored = await env.json('mempalace', ['restore', file, '--yes']);
    expect(restored).toMatchObject({ forgotten: 1, sources: 5 });
    expect(traces(env, ...SAID, TITLE)).toEqual([]);
    expect(problemsOf(env.palace)).toEqual([]);
    expect(await env.json('mempalace-session', [])).toMatchObject({
      new: 0,
      skipped_by_reason: { forgotten: 1 },
    });
  }, 120_000);

  it('reports a reader that blocks the WAL, and completes when it is run again', async () => {
    const { env } = await filledEnv();
    const reader = new Database(palaceFile(env.palace), { readonly: true });
    reader.exec('BEGIN');
    reader.prepare('SELECT count(*) FROM sources').get();
    const held = await env.run('mempalace', ['forget', '--session', LOGIN, '--yes']);
    expect(held).toMatchObject({
      exitCode: 3,
      stderr: expect.stringContaining('another process is reading the palace'),
    });
    reader.exec('COMMIT');
    reader.close();
    expect(await env.json('mempalace', ['forget', '--session', LOGIN, '--yes'])).toMatchObject({
      log_emptied: true,
    });
    expect(traces(env, ...SAID, TITLE)).toEqual([]);
  }, 120_000);

  it('is completed by the next run, in the cache, too', async () => {
    const { env, garden, history } = await filledEnv();
    // Killed after the marks were written, before anything was erased.
    const palace = temporaryPalaceOf(env.palace);
    const sources = palace.forgetting.sources({ by: 'session', value: LOGIN });
    palace.forgetting.addTombstones(
      sources.map(({ id }) => id),
      '2026-01-02T03:04:05.000Z',
    );
    palace.close();
    expect(traces(env, ...SAID).some((trace) => trace.includes('.jsonl'))).toBe(true);
    await env.json('mempalace-docs', [garden]);
    expect(traces(env, ...SAID, TITLE)).toEqual([]);
    history.close();
  }, 120_000);

  it('removes the forgotten session’s name from the sessions that it started', async () => {
    const { env, history } = await filledEnv();
    history.addSession({
      id: 'ses_0000000009child',
      parent: LOGIN,
      title: 'Look at the cookies',
      created: Date.UTC(2026, 2, 2, 11),
      messages: [...exchange('List the cookies.', 'There are two.'), ...exchange('Which?', 'session, csrf.')],
    });
    await env.json('mempalace-session', []);
    expect(await textOf(env, 'ses_0000000009child')).toContain(TITLE);
    await env.json('mempalace', ['forget', '--session', LOGIN, '--yes']);
    await env.json('mempalace-session', []);
    expect(await textOf(env, 'ses_0000000009child')).not.toContain(TITLE);
    expect(traces(env, TITLE)).toEqual([]);
    history.close();
  }, 120_000);
});
