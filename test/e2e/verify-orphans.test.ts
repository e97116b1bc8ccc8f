import { renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { expect, it } from 'vitest';
import { keptBackups } from '../../src/store/index.js';
import { filledMachine } from '../support/real-palace.js';
import { problemsOf } from '../support/soundness.js';
import type { TestEnv } from '../support/test-env.js';
import { NONE, verified } from '../support/verified.js';

const filledEnv = filledMachine();

const LOGIN = 'ses_0000000001login';
const PORTS = 'ses_0000000003ports';

/** The readable text of the palace, by key. */
async function texts(env: TestEnv): Promise<unknown> {
  const { sources } = await env.json('mempalace', ['list', 'sources']);
  const keys = (sources as { source_key: string; chars: number }[]).map((row) => [row.source_key, row.chars]);
  return keys.sort();
}

it('reports no orphans in places that cannot be read', async () => {
  const { env, shop, garden, history } = await filledEnv();
  const part = history.database
    .prepare('SELECT id FROM part WHERE session_id = ? LIMIT 1')
    .pluck()
    .get(PORTS);
  history.database.prepare('UPDATE part SET data = ? WHERE id = ?').run('{', part);
  history.database.prepare('UPDATE session SET time_created = ? WHERE id = ?').run('soon', LOGIN);
  history.close();
  renameSync(garden, `${garden}.away`);
  rmSync(join(shop, 'docs/handbook.md'));
  const { findings } = await verified(env, [], 3);
  const of = (id: string) => findings.find(({ source_key }) => source_key === `opencode:${id}`);
  expect(of(PORTS)).toMatchObject({
    status: 'stale',
    detail: expect.stringContaining('rows that do not parse: '),
  });
  expect(of(LOGIN)).toMatchObject({
    status: 'not_checked',
    detail: expect.stringContaining('time_created'),
  });

  const database = join(env.home, '.local/share/opencode/opencode.db');
  renameSync(database, `${database}.away`);
  writeFileSync(join(shop, 'mempalace.yaml'), 'wing: [');
  const away = await verified(env, [], 3);
  expect(away).toMatchObject({
    sessions: { ...NONE, not_checked: 3 },
    documents: { ...NONE, not_checked: 3 },
    problems: [{ origin: shop }],
  });
  rmSync(join(shop, 'mempalace.yaml'));
  const emptied = await verified(env, [], 3);
  expect(emptied).toMatchObject({ documents: { ...NONE, ok: 1, not_checked: 2 } });
  const details = emptied.findings.map(({ detail }) => detail).join('\n');
  for (const why of ['no opencode database found', 'does not exist', 'not mounted?'])
    expect(details).toContain(why);

  // There is a database, but not the original one.
  const other = new Database(`${database}.away`);
  other.exec('DELETE FROM session; DELETE FROM message; DELETE FROM part');
  other.close();
  const elsewhere = await verified(env, ['--db', `${database}.away`, '--apply', '--yes'], 3);
  expect(elsewhere).toMatchObject({ sessions: { ...NONE, not_checked: 3 }, removed: { sources: 0 } });
  expect(elsewhere.findings[0]?.detail).toContain('which cannot be read now');
  renameSync(`${database}.away`, database);
  expect(await verified(env, [], 3)).toMatchObject({ sessions: { ...NONE, orphaned: 3 } });
  const unknown = await env.run('mempalace', ['verify', '--session', 'ses_none']);
  expect(unknown).toMatchObject({ exitCode: 1, stderr: expect.stringContaining('there is no session') });
  expect((await env.run('mempalace', ['verify', '--yes'])).exitCode).toBe(2);
});

it('--apply removes only deleted sources; they can be filed again, and a backup keeps them', async () => {
  const { env, shop, history } = await filledEnv();
  const before = await texts(env);
  const gone = ['session', 'message', 'part'].map((table) => {
    const column = table === 'session' ? 'id' : 'session_id';
    const rows = history.database.prepare(`SELECT * FROM ${table} WHERE ${column} = ?`).all(PORTS);
    history.database.prepare(`DELETE FROM ${table} WHERE ${column} = ?`).run(PORTS);
    return { table, rows: rows as Record<string, unknown>[] };
  });
  const handbook = join(shop, 'docs/handbook.md');
  writeFileSync(join(shop, 'docs/other.md'), '# Other\n');
  renameSync(handbook, `${handbook}.away`);
  const untouched = env.fingerprint();
  const plan = await verified(env, ['--apply', '--dry-run'], 3);
  expect(plan).toMatchObject({ dry_run: true, removed: { sources: 2 } });
  expect(plan.statuses).toEqual(['missing', 'orphaned', 'orphaned']);
  const asked = await env.run('mempalace', ['verify', '--apply']);
  expect(asked).toMatchObject({ exitCode: 2, stderr: expect.stringContaining('--dry-run') });
  expect(env.fingerprint()).toBe(untouched);

  const done = await verified(env, ['--apply', '--yes'], 3);
  expect(done).toMatchObject({ removed: { sources: 2, staged: 2 }, statuses: ['missing'] });
  expect(problemsOf(env.palace)).toEqual([]);
  expect(keptBackups(env.palace).map(({ reason }) => reason)).toEqual(['verify']);
  const { runs } = await env.json('mempalace', ['list', 'runs', '--limit', '1']);
  expect(runs).toMatchObject([{ command: 'mempalace verify', exit_code: 3, removed: 2 }]);
  expect(await env.json('mempalace-session', [])).toMatchObject({ new: 0, unchanged: 2, skipped: 0 });

  for (const { table, rows } of gone)
    for (const row of rows) {
      const names = Object.keys(row);
      const marks = names.map(() => '?').join(', ');
      history.database
        .prepare(`INSERT INTO ${table} (${names.join(', ')}) VALUES (${marks})`)
        .run(...Object.values(row));
    }
  rmSync(join(shop, 'docs/other.md'));
  renameSync(`${handbook}.away`, handbook);
  expect(await env.json('mempalace-session', [])).toMatchObject({ new: 1 });
  expect(await env.json('mempalace-docs', [shop])).toMatchObject({ new: 1 });
  expect(await texts(env)).toEqual(before);
  expect((await verified(env)).findings).toEqual([]);
  history.close();
});
