import { existsSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { expect, it } from 'vitest';
import { palaceFile } from '../../src/store/index.js';
import { makeChroma } from '../support/chroma.js';
import { contentOf } from '../support/drawers.js';
import { schemas } from '../support/json-schemas.js';
import { exchange } from '../support/opencode-database.js';
import { filledMachine } from '../support/real-palace.js';
import { problemsOf } from '../support/soundness.js';
import type { TestEnv } from '../support/test-env.js';

const filledEnv = filledMachine();

async function runsOf(env: TestEnv) {
  return schemas.listRuns.parse(await env.json('mempalace', ['list', 'runs', '--limit', '50'])).runs;
}

/** Every row of every table of the palace, indexes included, except the record of runs. */
function rowsOf(palace: string): Record<string, unknown[]> {
  const database = new Database(palaceFile(palace), { readonly: true });
  try {
    const tables = database
      .prepare<[], string>(
        `SELECT name FROM sqlite_schema WHERE type = 'table' AND sql NOT LIKE '%VIRTUAL%'
           AND name NOT IN ('runs', 'sqlite_sequence') AND name NOT LIKE 'sqlite_stat%' ORDER BY name`,
      )
      .pluck()
      .all();
    return Object.fromEntries(
      tables.map((table) => [
        table,
        database
          .prepare(`SELECT * FROM "${table}"`)
          .raw()
          .all()
          .map((row) =>
            (row as unknown[]).map((value) => (Buffer.isBuffer(value) ? value.toString('hex') : value)),
          ),
      ]),
    );
  } finally {
    database.close();
  }
}

it('every command that writes records its name, time, options and outcome', async () => {
  const { env, shop, garden, history } = await filledEnv();
  const talks = env.project('talks', { 'broken.jsonl': '{"type":"user"' });
  await env.json('mempalace', ['mine', talks, '--mode', 'convos'], 3);
  await env.json('mempalace', ['set', 'docs/handbook.md', '--pin']);
  await env.json('mempalace', ['repair', '--yes']);
  await env.json('mempalace', ['reembed', '--force']);
  const lines = join(env.home, 'palace.jsonl');
  await env.json('mempalace', ['export', '--jsonl', '--to', lines]);
  await env.json('mempalace', ['import', lines]);
  const secret = `AKIA${'QWERTYUIOP234567'}`;
  const theirs = makeChroma(join(env.home, 'theirs'), {
    mempalace_drawers: [
      { id: 'drawer_a', document: `The key was ${secret} then.`, metadata: { wing: 'a', room: 'b' } },
      { id: 'drawer_b', document: null, metadata: { wing: 'a', room: 'b' } },
    ],
  });
  await env.json('mempalace', ['import-chroma', theirs], 3);
  await env.json('mempalace', ['forget', '--source', join(garden, 'notes.md'), '--yes']);
  await env.json('mempalace', ['forget', '--source', join(garden, 'notes.md'), '--allow-again']);
  rmSync(join(shop, 'README.md'));
  await env.json('mempalace', ['verify', '--docs', shop, '--apply', '--yes']);
  const copy = join(env.home, 'copy.sqlite3');
  await env.json('mempalace', ['backup', copy]);
  await env.json('mempalace', ['restore', copy, '--yes']);
  await env.json('mempalace-session', ['--directory', '/nowhere']);
  // A mistyped id is not a failed run.
  const mistyped = await env.run('mempalace-session', ['--session', 'ses_none']);
  expect(mistyped).toMatchObject({ exitCode: 1, stderr: expect.stringContaining('there is no session') });
  const runs = await runsOf(env);
  for (const run of runs) {
    expect(run.versions).toEqual({
      toolkit: expect.stringMatching(/^\d+\./),
      schema: expect.stringMatching(/^\d+$/),
      model: expect.stringMatching(/^use-lite-int8@/),
    });
    expect(run.exit_code).not.toBeNull();
    expect(Object.keys(run.counts).length).toBeGreaterThan(0);
  }
  // A restore restores the earlier record, and adds its own run.
  expect(runs.map(({ command }) => command)).toEqual([
    'mempalace-session',
    'mempalace restore',
    'mempalace verify',
    'mempalace forget --allow-again',
    'mempalace forget',
    'mempalace import-chroma',
    'mempalace import',
    'mempalace reembed',
    'mempalace repair',
    'mempalace set',
    'mempalace mine',
    'mempalace-session',
    'mempalace-docs',
    'mempalace-docs',
  ]);
  expect(runs.find(({ command }) => command === 'mempalace import-chroma')).toMatchObject({
    new: 1,
    redacted: { 'aws-access-key-id': 1 },
    skipped_by_reason: { 'drawer without a text': 1 },
    problems: [{ reason: 'drawer without a text', detail: 'drawer_b' }],
  });
  expect(runs[0]?.skipped_by_reason).toEqual({ 'held in another directory': 3 });
  const { feeders } = schemas.status.parse(await env.json('mempalace', ['status']));
  expect(feeders.map(({ command }) => command)).not.toContain('mempalace set');
  history.close();
});

it('forget --run removes what a run added, and restore returns every row of the earlier palace', async () => {
  const { env, shop, history } = await filledEnv();
  const before = contentOf(env.palace);
  writeFileSync(join(shop, 'docs/lamps.md'), '# Lamps\n\nThe brass one hums.\n');
  await env.json('mempalace-docs', [shop]);
  const docs = (await runsOf(env))[0]?.id;
  history.addSession({ id: 'ses_0000000009added', messages: [...exchange('a', 'b'), ...exchange('c', 'd')] });
  await env.json('mempalace-session', []);
  const session = (await runsOf(env))[0]?.id;
  const grown = contentOf(env.palace);
  expect(grown).not.toEqual(before);
  const rows = rowsOf(env.palace);
  const copy = join(env.home, 'copy.sqlite3');
  await env.json('mempalace', ['backup', copy]);

  for (const run of [session, docs])
    expect(await env.json('mempalace', ['forget', '--run', String(run), '--yes'])).toMatchObject({
      drawers_removed: expect.any(Number),
      sources: [expect.anything()],
    });
  expect(contentOf(env.palace)).toEqual(before);
  expect(problemsOf(env.palace)).toEqual([]);

  // Forgotten sources would stay forgotten; nothing was forgotten here, so the whole palace is restored.
  rmSync(env.palace, { recursive: true });
  await env.json('mempalace', ['restore', copy, '--yes']);
  expect(rowsOf(env.palace)).toEqual(rows);
  env.edit(join(shop, 'docs/lamps.md'), '# Lamps\n\nNone of them hums.\n');
  rmSync(join(shop, 'docs/handbook.md'));
  await env.json('mempalace-docs', [shop]);
  expect(contentOf(env.palace)).not.toEqual(grown);
  await env.json('mempalace', ['restore', copy, '--yes']);
  expect(rowsOf(env.palace)).toEqual(rows);
  expect(contentOf(env.palace)).toEqual(grown);
  expect(existsSync(env.palace)).toBe(true);
  history.close();
});
