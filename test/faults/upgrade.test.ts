import { readFileSync, writeFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import Database from 'better-sqlite3';
import { describe, expect, it } from 'vitest';
import { sha256 } from '../../src/core/hash.js';
import { inspectPalace, keptBackups, Palace, palaceFile, SCHEMA_VERSION } from '../../src/store/index.js';
import { contentOf, expectSameRows, joinedDrawers } from '../support/drawers.js';
import { earlierPalaces } from '../support/earlier-palaces.js';
import { expectClear, withFileLimit } from '../support/small-disk.js';
import { problemsOf } from '../support/soundness.js';
import { TestEnv } from '../support/test-env.js';

/** A machine with a palace of an earlier version. */
function machine(layInto: (folder: string) => void): TestEnv {
  const env = new TestEnv();
  layInto(env.palace);
  return env;
}

it('there is a palace of every earlier version', () => {
  expect(earlierPalaces().map(({ version }) => version)).toEqual(
    Array.from({ length: SCHEMA_VERSION - 1 }, (_, index) => index + 1),
  );
});

/** What the earlier programs filed, from `test/fixtures/palaces/make.mjs`. */
const QUESTIONS = [
  ['when is money rounded', 'Money is rounded once, on the total.'],
  ['天気', '東京都の天気は晴れです。'],
  ['lamps', 'Sells lamps'],
] as const;

describe.each(earlierPalaces())('a palace of version $version', ({ version, layInto }) => {
  it('is migrated by the first program that opens it, keeps every text, and is searchable', async () => {
    const env = machine(layInto);
    const before = joinedDrawers(env.palace);
    expect(before.size).toBeGreaterThan(5);
    for (const [question, answer] of QUESTIONS) {
      const { hits } = await env.json('mempalace', ['search', question, '--limit', '1']);
      expect(JSON.stringify(hits)).toContain(answer);
    }
    expect(problemsOf(env.palace)).toEqual([]);
    expect(joinedDrawers(env.palace)).toEqual(before);
    const [kept] = keptBackups(env.palace);
    expect(inspectPalace(kept?.file ?? '')).toMatchObject({ schema: version });
    expect(joinedDrawers(env.palace)).toEqual(before);
    expect(JSON.stringify([...before.values()])).not.toContain('This one is removed again');
  });

  it('accepts new drawers', async () => {
    const env = machine(layInto);
    const project = env.project('garden', { 'notes.md': '# Beds\n\nThe heron comes at dawn.\n' });
    await env.json('mempalace-docs', [project]);
    const { hits } = await env.json('mempalace', ['search', 'heron', '--limit', '1']);
    expect(JSON.stringify(hits)).toContain('The heron comes at dawn.');
    expect(await env.json('mempalace-docs', [project])).toMatchObject({ new: 0, unchanged: 1, embedded: 0 });
    expect(problemsOf(env.palace)).toEqual([]);
  });

  it('has what its sessions did derived by the next run', async () => {
    const env = machine(layInto);
    await env.json('mempalace', ['status']);
    const counts = () =>
      Palace.look(env.palace, ({ activity, sources }) => [
        activity.countUnderived(),
        sources.ofKind('conversation').size,
      ]);
    const [underived, sessions] = counts();
    // Version 7 derived it when it filed them.
    expect(underived).toBe(version < 7 ? sessions : 0);
    await env.json('mempalace-docs', [env.project('garden', { 'notes.md': '# Beds\n' })]);
    expect(counts()).toEqual([0, sessions]);
    expect(problemsOf(env.palace)).toEqual([]);
  });

  it.runIf(version === SCHEMA_VERSION - 1)(
    'loses nothing when its migration is killed',
    async () => {
      const kills = [...Array(8).keys()].map((index) => 60 * (index + 1));
      for (const ms of kills) {
        const env = machine(layInto);
        const before = joinedDrawers(env.palace);
        const child = env.start('mempalace', ['status']);
        await sleep(ms);
        child.kill('SIGKILL');
        await child;
        await env.json('mempalace', ['status']);
        expect(inspectPalace(palaceFile(env.palace))).toMatchObject({ schema: SCHEMA_VERSION });
        expect(joinedDrawers(env.palace)).toEqual(before);
        expect(problemsOf(env.palace)).toEqual([]);
      }
    },
    120_000,
  );

  it('with a damaged page is unchanged, or is kept as a copy next to the migrated palace', async () => {
    const env = machine(layInto);
    const raw = new Database(palaceFile(env.palace));
    const root = Number(
      raw.prepare("SELECT rootpage FROM sqlite_schema WHERE name = 'drawers'").pluck().get(),
    );
    const size = Number(raw.pragma('page_size', { simple: true }));
    raw.close();
    const bytes = readFileSync(palaceFile(env.palace));
    bytes.fill(0xa5, (root - 1) * size, root * size);
    writeFileSync(palaceFile(env.palace), bytes);
    const outcome = await env.spawn('mempalace', ['search', 'lamps']);
    expectClear(outcome);
    expect(outcome.stderr).toMatch(/restore --last|repair/);
    // A migration that does not read the damaged page succeeds.
    const [kept] = keptBackups(env.palace);
    const left = kept?.file ?? palaceFile(env.palace);
    expect(kept?.damaged ?? true).toBe(true);
    expect(sha256(readFileSync(left))).toBe(sha256(bytes));
  });

  it('without space for the migration is unchanged; with space it is migrated', async () => {
    const env = machine(layInto);
    const before = readFileSync(palaceFile(env.palace));
    const kilobytes = Math.ceil(before.length / 1024);
    let refused = 0;
    for (const limit of [8, kilobytes / 3, kilobytes * 0.7, kilobytes + 8].map(Math.floor)) {
      const outcome = await withFileLimit(env, ['mempalace', ['status']], limit);
      if (outcome.exitCode === 0) continue;
      refused += 1;
      expectClear(outcome);
      const raw = new Database(palaceFile(env.palace), { readonly: true });
      expect(raw.pragma('user_version', { simple: true })).toBe(version);
      expect(raw.pragma('integrity_check', { simple: true })).toBe('ok');
      raw.close();
      expect(keptBackups(env.palace)).toEqual([]);
    }
    expect(refused).toBeGreaterThan(0);
    await env.json('mempalace', ['status']);
    const calm = machine(layInto);
    await calm.json('mempalace', ['status']);
    expectSameRows(contentOf(env.palace), contentOf(calm.palace));
    expect(problemsOf(env.palace)).toEqual([]);
  });

  it('whose migration fails in one of its last steps is unchanged', () => {
    const env = machine(layInto);
    const raw = new Database(palaceFile(env.palace));
    // As by a program of the user: a table name that the migration needs is taken, or rows may not be changed.
    raw.exec(
      version < 8
        ? 'CREATE TABLE session_relations (id INTEGER PRIMARY KEY)'
        : `INSERT INTO collections(name, question, filter, most, min_score, made_at) VALUES ('a', '-b', '{}', 1, 0, '');
           CREATE TRIGGER guard BEFORE UPDATE ON collections BEGIN SELECT RAISE(ABORT, 'not allowed'); END`,
    );
    raw.close();
    expect(() => Palace.read(env.palace)).toThrow();
    const again = new Database(palaceFile(env.palace), { readonly: true });
    expect(again.pragma('user_version', { simple: true })).toBe(version);
    expect(again.prepare('SELECT count(*) FROM drawers').pluck().get()).toBeGreaterThan(5);
    again.close();
    expect(keptBackups(env.palace)).toEqual([]);
  });
});
