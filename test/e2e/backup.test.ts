import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import Database from 'better-sqlite3';
import { describe, expect } from 'vitest';
import {
  inspectPalace,
  keepBackup,
  keptBackups,
  Palace,
  palaceFile,
  SCHEMA_VERSION,
} from '../../src/store/index.js';
import { contentOf } from '../support/drawers.js';
import { it } from '../support/it-env.js';
import { bulkPalace } from '../support/made-palaces.js';
import { fileTexts, temporaryPalace } from '../support/palace.js';
import { filledMachine, HANDBOOK } from '../support/real-palace.js';
import { problemsOf } from '../support/soundness.js';

const filledEnv = filledMachine();

const mode = (path: string) => (statSync(path).mode & 0o777).toString(8);

describe('mempalace backup and restore', () => {
  it('says why a palace cannot be read, and not that there is none', async ({ env }) => {
    mkdirSync(join(env.palace, '..'), { recursive: true });
    symlinkSync('palace', env.palace);
    const outcome = await env.run('mempalace', ['backup', join(env.home, 'copy.sqlite3')]);
    expect(outcome.exitCode).toBe(1);
    expect(outcome.stderr).toContain('ELOOP');
  });

  it('restores every row of the palace that was backed up', async () => {
    const { env, shop } = await filledEnv();
    const before = contentOf(env.palace);
    const file = join(env.home, 'copy.sqlite3');
    const made = await env.json('mempalace', ['backup', file]);
    expect(made).toMatchObject({ file, sources: 6, model: { id: 'use-lite-int8' }, schema: SCHEMA_VERSION });
    expect([mode(file), readdirSync(env.home).filter((name) => name.includes('copy'))]).toEqual([
      '600',
      ['copy.sqlite3'],
    ]);
    const again = await env.run('mempalace', ['backup', file]);
    expect(again).toMatchObject({ exitCode: 1, stderr: expect.stringContaining('exists already') });
    await env.json('mempalace', ['backup', file, '--force']);

    env.edit(join(shop, 'docs/handbook.md'), `${HANDBOOK}\nNow with a supplement on otters.\n`);
    await env.json('mempalace-docs', [shop]);
    const after = contentOf(env.palace);
    expect(after).not.toEqual(before);

    const untouched = env.fingerprint();
    const plan = await env.json('mempalace', ['restore', file, '--dry-run']);
    expect(plan).toMatchObject({ dry_run: true, present: 'whole', keeps_backup: true, sources: 6 });
    expect(env.fingerprint()).toBe(untouched);
    const asked = await env.run('mempalace', ['restore', file]);
    expect(asked).toMatchObject({ exitCode: 2, stderr: expect.stringContaining('--yes') });
    expect(env.fingerprint()).toBe(untouched);

    const restored = await env.json('mempalace', ['restore', file, '--yes']);
    expect(contentOf(env.palace)).toEqual(before);
    expect(problemsOf(env.palace)).toEqual([]);
    expect(existsSync(String(restored.before))).toBe(true);
    const listed = await env.json('mempalace', ['restore', '--list']);
    expect(listed.backups).toEqual([
      {
        file: restored.before,
        before: 'restore',
        damaged: false,
        taken: expect.any(String),
        bytes: expect.any(Number),
      },
    ]);
    await env.json('mempalace', ['restore', '--last', '--yes', '--no-backup']);
    expect(contentOf(env.palace)).toEqual(after);
    expect(keptBackups(env.palace)).toHaveLength(1);
    expect(await env.json('mempalace-docs', [shop])).toMatchObject({ new: 0, changed: 0, embedded: 0 });
  });

  it('writes a dated file into a folder, and fails without a palace', async ({ env }) => {
    const none = await env.run('mempalace', ['backup', join(env.home, 'x')]);
    expect(none).toMatchObject({ exitCode: 1, stderr: expect.stringContaining('there is no palace') });
    await env.json('mempalace-docs', [env.project('shop', { 'a.md': '# A\n\nOne.\n' })]);
    const folder = join(env.home, 'copies');
    mkdirSync(folder);
    const { file } = await env.json('mempalace', ['backup', folder]);
    expect(String(file)).toMatch(/copies\/mempalace-\d{8}T\d{6}Z\.sqlite3$/);
    writeFileSync(join(folder, 'thesis.txt'), 'ten years of work');
    const thesis = await env.run('mempalace', ['backup', join(folder, 'thesis.txt'), '--force']);
    expect(thesis).toMatchObject({ exitCode: 1, stderr: expect.stringContaining('is not a palace') });
    expect(readFileSync(join(folder, 'thesis.txt'), 'utf8')).toBe('ten years of work');
    const self = await env.run('mempalace', ['backup', palaceFile(env.palace), '--force']);
    expect(self.stderr).toContain('is the palace itself');
    const nowhere = await env.run('mempalace', ['restore', '--last']);
    expect(nowhere).toMatchObject({ exitCode: 1, stderr: expect.stringContaining('no backup is kept') });
    expect((await env.run('mempalace', ['restore'])).exitCode).toBe(2);
  });

  it('restores where there is no palace, and moves a damaged palace aside first', async () => {
    const { env } = await filledEnv();
    const before = contentOf(env.palace);
    const file = join(env.home, 'copy.sqlite3');
    await env.json('mempalace', ['backup', file]);
    const elsewhere = join(env.home, 'elsewhere');
    await env.json('mempalace', ['restore', file, '--palace', elsewhere]);
    expect(contentOf(elsewhere)).toEqual(before);
    expect([mode(elsewhere), mode(palaceFile(elsewhere))]).toEqual(['700', '600']);

    const live = palaceFile(env.palace);
    const half = Math.floor(statSync(live).size / 8192 / 2) * 8192;
    truncateSync(live, half);
    // A damaged palace cannot report what was forgotten: exit 3.
    const done = await env.json('mempalace', ['restore', file, '--yes'], 3);
    expect(contentOf(env.palace)).toEqual(before);
    const [aside = ''] = done.moved_aside as string[];
    expect(aside).toMatch(/palace\.sqlite3\.damaged-\d{8}T\d{9}Z$/);
    expect(statSync(aside).size).toBe(half);
    expect(done.before).toBeNull();
  });

  it('refuses a palace of a later version by name, and leaves no file', async () => {
    const { env } = await filledEnv();
    const raw = new Database(palaceFile(env.palace));
    raw.pragma('user_version = 99');
    raw.close();
    const before = readdirSync(env.home);
    const refused = await env.run('mempalace', ['backup', join(env.home, 'copy.sqlite3')]);
    expect(refused).toMatchObject({ exitCode: 1, stdout: '' });
    expect(refused.stderr).toContain(`error: ${palaceFile(env.palace)} has schema version 99`);
    expect(readdirSync(env.home)).toEqual(before);
  });

  it('refuses to restore an incomplete palace or one of a later version', async () => {
    const { env } = await filledEnv();
    const file = join(env.home, 'copy.sqlite3');
    await env.json('mempalace', ['backup', file]);
    const untouched = contentOf(env.palace);
    truncateSync(file, Math.floor(statSync(file).size / 8192 / 2) * 8192);
    const half = await env.run('mempalace', ['restore', file, '--yes']);
    expect(half).toMatchObject({ exitCode: 1, stderr: expect.stringMatching(/palace/) });
    await env.json('mempalace', ['backup', join(env.home, 'newer')]);
    const raw = new Database(join(env.home, 'newer'));
    raw.pragma('user_version = 99');
    raw.close();
    const newer = await env.run('mempalace', ['restore', join(env.home, 'newer'), '--yes', '--json']);
    expect(JSON.parse(newer.stderr).error.code).toBe('palace-newer');
    writeFileSync(join(env.home, 'text'), 'no database at all');
    const text = await env.run('mempalace', ['restore', join(env.home, 'text'), '--yes']);
    expect(text).toMatchObject({ exitCode: 1, stderr: expect.stringContaining('name another backup') });
    expect(contentOf(env.palace)).toEqual(untouched);
    expect(keptBackups(env.palace)).toEqual([]);
  });

  it('is a consistent snapshot of a palace that is being written', async ({ env }) => {
    bulkPalace(env.palace, 'steady', 60);
    const writer = temporaryPalace(env.palace);
    let running = true;
    const copies = [0, 1, 2].map((n) => env.spawnJson('mempalace', ['backup', join(env.home, `copy${n}`)]));
    const all = Promise.all(copies).finally(() => {
      running = false;
    });
    let filed = 0;
    for (; running; filed += 1) {
      // Two sources in one transaction: a copy has both or neither.
      writer.transaction(() => {
        for (const side of ['left', 'right'])
          fileTexts(writer, `doc:p/${side}${filed}`, [`${side} ${filed}`]);
      });
      await sleep(3);
    }
    await all;
    expect(filed).toBeGreaterThan(3);
    for (const n of [0, 1, 2]) {
      const copy = join(env.home, `copy${n}`);
      expect((inspectPalace(copy).sources - 60) % 2).toBe(0);
    }
  });

  it('does not wait for readers: an open reader keeps its palace, the next one sees the new one', async ({
    env,
  }) => {
    bulkPalace(env.palace, 'old', 40);
    const file = join(env.home, 'copy.sqlite3');
    await env.json('mempalace', ['backup', file]);
    const writer = temporaryPalace(env.palace);
    fileTexts(writer, 'doc:p/more.md', ['one more']);
    const reader = Palace.read(env.palace);
    const restoring = env.json('mempalace', ['restore', file, '--yes']);
    let running = true;
    void restoring.finally(() => {
      running = false;
    });
    const counts = new Set<string>();
    for (; running; await sleep(2))
      counts.add(reader.snapshot(() => `${reader.drawerCount()} ${reader.lexical.size()}`));
    await restoring;
    counts.add(reader.snapshot(() => `${reader.drawerCount()} ${reader.lexical.size()}`));
    expect([...counts]).toEqual(['1601 1601', '1600 1600']);
    reader.close();
  });
});

/** The newest two, with their exit codes. */
function runsIn(file: string): unknown[] {
  const copy = new Database(file, { readonly: true });
  try {
    return copy
      .prepare("SELECT command || ' ' || ifnull(exit_code, 'open') FROM runs ORDER BY id DESC LIMIT 2")
      .pluck()
      .all();
  } finally {
    copy.close();
  }
}

describe('backups made by commands', () => {
  it('are made before a reembed and a repair, except with --no-backup', async () => {
    const { env } = await filledEnv();
    await env.json('mempalace', ['reembed', '--force', '--no-backup']);
    expect(keptBackups(env.palace)).toEqual([]);
    await env.json('mempalace', ['reembed', '--force']);
    await env.json('mempalace-session', ['--repair']);
    expect(keptBackups(env.palace).map(({ reason }) => reason)).toEqual(['repair', 'reembed']);
    await env.json('mempalace-session', ['--repair', '--no-backup']);
    expect(keptBackups(env.palace)).toHaveLength(2);
  });

  it('do not record the run that made them as unfinished', async () => {
    const { env, shop } = await filledEnv();
    await env.json('mempalace', ['reembed', '--force']);
    await env.json('mempalace-session', ['--repair']);
    rmSync(join(shop, 'README.md'));
    expect(await env.json('mempalace', ['verify', '--apply', '--yes'])).toMatchObject({
      removed: { sources: 1 },
    });
    const records = keptBackups(env.palace).map(({ file, reason }) => [reason, ...runsIn(file)]);
    expect(records).toEqual([
      ['verify', 'mempalace-session 0', 'mempalace reembed 0'],
      ['repair', 'mempalace-session 0', 'mempalace reembed 0'],
      ['reembed', 'mempalace-session 0', 'mempalace-docs 0'],
    ]);
    await env.json('mempalace', ['repair', '--yes']);
    await env.json('mempalace', ['restore', '--last', '--yes']);
    const { runs } = await env.json('mempalace', ['list', 'runs']);
    expect((runs as { exit_code: number | null }[]).map((run) => run.exit_code)).not.toContain(null);
  }, 120_000);

  it('--last restores the newest intact backup, and skips a damaged newer one', async ({ env }) => {
    await env.json('mempalace-docs', [env.project('shop', { 'a.md': '# A\n\nOne.\n' })]);
    const before = contentOf(env.palace);
    keepBackup(env.palace, 'repair');
    truncateSync(palaceFile(env.palace), 8192 * 4);
    keepBackup(env.palace, 'reembed');
    const { backups } = await env.json('mempalace', ['restore', '--list']);
    expect(backups).toMatchObject([
      { before: 'reembed', damaged: true },
      { before: 'repair', damaged: false },
    ]);
    const done = await env.run('mempalace', ['restore', '--last', '--yes']);
    expect(done.exitCode).toBe(3);
    expect(done.stderr).toContain('is newer, but contains a damaged palace');
    expect(contentOf(env.palace)).toEqual(before);
  });
});
