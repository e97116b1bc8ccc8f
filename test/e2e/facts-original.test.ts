import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { describe, expect, it } from 'vitest';
import { originalGraph } from '../support/original-graph.js';
import { problemsOf } from '../support/soundness.js';
import { TestEnv } from '../support/test-env.js';

type Row = Record<string, unknown>;
const factsOf = async (env: TestEnv): Promise<unknown[][]> =>
  ((await env.json('mempalace', ['facts', 'export'])).facts as Row[]).map((fact) => [
    fact.subject,
    fact.predicate,
    fact.object,
    fact.valid_from,
    fact.valid_to,
  ]);

describe("the graph of MemPalace's own", () => {
  it('is imported once, with names and times as intended; rows that are not facts are named', async () => {
    const env = new TestEnv();
    const file = originalGraph(join(env.home, 'knowledge_graph.sqlite3'), [
      ["Ada's Shop", 'default_branch', 'main', '2020-03-01', '2020-05-01'],
      ["Ada's Shop", 'default_branch', 'trunk', '2020-05-01'],
      ['Ada', 'works_at', 'Mill', '2019-01-01', '2019-12-31'],
      ['Ada', 'works_at', 'Mill', '2021-01-01T10:00:00Z'],
      ['Ada', 'likes', 'tea'],
      ['Ada', 'likes', 'tea', null, '2020-02-28'],
      ['Ada', 'born', 'sometime', 'last spring'],
      ['Ada', '???', 'x'],
      ['Bo', 'left', 'Mill', '2020-03-01', '2020-02-01'],
    ]);
    const before = env.fingerprint();
    const dry = await env.json('mempalace', ['facts', 'import', file, '--dry-run'], 3);
    expect(dry).toMatchObject({ dry_run: true, new: 6, ended: 0, unchanged: 0 });
    expect(dry.problems).toEqual([
      { row: 7, reason: expect.stringContaining('not a moment: "last spring"') },
      { row: 8, reason: expect.stringContaining('not a predicate: "???"') },
      { row: 9, reason: expect.stringContaining('before it begins') },
    ]);
    expect([env.fingerprint(), existsSync(env.palace)]).toEqual([before, false]);

    const { dry_run: _, ...would } = dry;
    expect(await env.json('mempalace', ['facts', 'import', file], 3)).toEqual(would);
    expect(await factsOf(env)).toEqual([
      // A successor begins on the next day: without a gap and without an overlap.
      ["Ada's Shop", 'default_branch', 'main', '2020-03-01', '2020-05-01'],
      ["Ada's Shop", 'default_branch', 'trunk', '2020-05-01', null],
      // Their last day is still valid.
      ['Ada', 'works_at', 'Mill', '2019-01-01', '2020-01-01'],
      ['Ada', 'works_at', 'Mill', '2021-01-01T10:00:00Z', null],
      ['Ada', 'likes', 'tea', null, null],
      ['Ada', 'likes', 'tea', null, '2020-02-29'],
    ]);
    const again = await env.json('mempalace', ['facts', 'import', file], 3);
    expect(again).toMatchObject({ new: 0, ended: 0, unchanged: 6 });

    const theirs = new Database(file);
    theirs.exec("UPDATE triples SET valid_to = '2022-06-30' WHERE object = 'trunk'");
    theirs.close();
    originalGraph(file, [['Bo', 'likes', 'tea']]);
    for (const args of [['--dry-run'], []])
      expect(await env.json('mempalace', ['facts', 'import', file, ...args], 3)).toMatchObject({
        new: 1,
        ended: 1,
        unchanged: 5,
      });
    expect((await factsOf(env))[1]?.[4]).toBe('2022-07-01');
    expect(problemsOf(env.palace)).toEqual([]);
  });

  it('is sanitised, respects tombstones, and is not mistaken for another format', async () => {
    const env = new TestEnv();
    const secret = ['kJ8s', 'Qw3x', 'Zt9v', 'Lm2p', 'Rb6n'].join('');
    const file = originalGraph(join(env.home, 'g.sqlite3'), [
      ['shop', 'password', secret],
      ['shop', 'port', '8443'],
    ]);
    expect(await env.json('mempalace', ['facts', 'import', file])).toMatchObject({
      new: 2,
      redacted: { password: 1 },
    });
    await env.json('mempalace', ['facts', 'forget', 'shop', 'port', '8443', '--yes']);
    for (const args of [['--dry-run'], []])
      expect(await env.json('mempalace', ['facts', 'import', file, ...args])).toMatchObject({
        new: 0,
        unchanged: 1,
        forgotten: 1,
      });
    const other = join(env.home, 'other.sqlite3');
    const database = new Database(other);
    database.exec('CREATE TABLE x (y)');
    database.close();
    const damaged = join(env.home, 'damaged.sqlite3');
    writeFileSync(damaged, `SQLite format 3\0${'x'.repeat(5_000)}`);
    for (const [wrong, words] of [
      [other, 'not a knowledge graph'],
      [damaged, 'cannot be read'],
    ] as const) {
      const outcome = await env.run('mempalace', ['facts', 'import', wrong]);
      expect(outcome).toMatchObject({ exitCode: 1, stderr: expect.stringContaining(words) });
    }
  });
});
