import { copyFileSync, cpSync, readFileSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { describe, expect } from 'vitest';
import { joinedDrawers } from '../support/drawers.js';
import { it } from '../support/it-env.js';
import { Keeper } from '../support/keeper.js';
import { exchange, OpencodeDatabase, START_MS } from '../support/opencode-database.js';
import { answered, asked, Opencode2Database } from '../support/opencode2-database.js';
import { temporaryFolder } from '../support/palace.js';
import { expectNoBug } from '../support/small-disk.js';
import { problemsOf } from '../support/soundness.js';
import { random, thorough, times } from '../support/thorough.js';

/** Each message has a unique word: none of them may leave the palace, for any damage to the database. */
const SESSIONS = 4;
const TURNS = 3;
const wordOf = (session: number, turn: number, role: 'q' | 'a') => `${role}word${session}x${turn}`;
const WORDS = Array.from({ length: SESSIONS }, (_, session) =>
  Array.from({ length: TURNS }, (_, turn) => [wordOf(session, turn, 'q'), wordOf(session, turn, 'a')]).flat(),
);

function history(path: string, withFork = false): void {
  const made = new OpencodeDatabase(path);
  const ids: string[] = [];
  for (let session = 0; session < SESSIONS; session += 1) {
    const id = made.addSession({
      id: `ses_${session}`,
      title: `Session ${session}`,
      parent: session === 3 ? (ids[0] ?? null) : null,
      created: START_MS + session * 3_600_000,
      messages: Array.from({ length: TURNS }, (_, turn) =>
        exchange(`What is ${wordOf(session, turn, 'q')}?`, `It is ${wordOf(session, turn, 'a')}.`),
      ).flat(),
    });
    ids.push(id);
  }
  const created = START_MS + SESSIONS * 3_600_000;
  if (withFork) made.fork(ids[1] ?? '', { created, messages: exchange('What now?', 'That.') });
  made.database.exec('VACUUM');
  made.close();
}

/** The same in opencode 2. */
function history2(path: string): void {
  const made = new Opencode2Database(path);
  for (const [session, words] of WORDS.entries()) {
    const said = words.map((word, at) =>
      at % 2 === 0 ? asked(`What is ${word}?`) : answered(`It is ${word}.`),
    );
    made.addSession(`ses_${session}`, said, { time_created: START_MS + session * 3_600_000 });
  }
  const forked = { fork_session_id: 'ses_1', time_created: START_MS + SESSIONS * 3_600_000 };
  made.addSession('ses_fork', [asked('What now?'), answered('That.')], forked);
  made.database.exec('VACUUM');
  made.close();
}

/** The tables without types, keys and constraints, so that every column accepts any value. */
function lawless(path: string): Database.Database {
  const database = new Database(path);
  for (const table of ['session', 'message', 'part']) {
    const columns = database.prepare('SELECT name FROM pragma_table_info(?)').pluck().all(table);
    database.exec(`ALTER TABLE ${table} RENAME TO strict_${table};
      CREATE TABLE ${table} (${columns.join(', ')});
      INSERT INTO ${table} SELECT * FROM strict_${table};
      DROP TABLE strict_${table}`);
  }
  return database;
}

interface Stage {
  good: string;
  bad: string;
  /** A filed copy of the good database, to be run again with the bad one. */
  keeper: () => Keeper;
}

/** Files a good history once; each case starts with a copy of that palace and its mirror. */
async function filedOnce(make: (path: string) => void = history): Promise<Stage> {
  const folder = temporaryFolder();
  const good = join(folder, 'good.db');
  const bad = join(folder, 'opencode.db');
  make(good);
  copyFileSync(good, bad);
  const first = new Keeper(bad);
  expect(await first.run()).toEqual([]);
  expect(missing(first)).toEqual([]);
  let cases = 0;
  return {
    good,
    bad,
    keeper: () => {
      cases += 1;
      const palace = join(folder, `palace${cases % 2}`);
      cpSync(first.folder, palace, { recursive: true, force: true });
      return new Keeper(bad, palace);
    },
  };
}

/** Words that were filed and are lost. */
function missing(keeper: Keeper): string[] {
  const filed = keeper.filed();
  return WORDS.flatMap((words, session) =>
    words.filter((word) => filed.get(`opencode:ses_${session}`)?.includes(word) !== true),
  );
}

/** Words that are filed more than once. */
function doubled(keeper: Keeper): string[] {
  const all = [...keeper.filed().values()].join('\n');
  return WORDS.flat().filter((word) => all.split(word).length > 2);
}

describe('a damaged opencode database: no crash, nothing filed is lost', () => {
  it(`cut off at every page${thorough ? ' and in the middle of each' : ''}`, async () => {
    const { good, bad, keeper } = await filedOnce();
    const whole = readFileSync(good).length;
    const step = thorough ? 1_024 : 4_096;
    let named = 0;
    for (let size = 0; size < whole; size += step) {
      copyFileSync(good, bad);
      truncateSync(bad, size);
      const kept = keeper();
      const problems = await kept.run();
      expect([size, missing(kept), doubled(kept)]).toEqual([size, [], []]);
      if (problems.length > 0) named += 1;
    }
    expect(named).toBeGreaterThan(whole / step / 2);
  });

  it.each([
    ['opencode 1', history],
    ['opencode 1 with a fork', (path: string) => history(path, true)],
    ['opencode 2', history2],
  ])(`with flipped bits, ${times(21, 1_001)} times: %s`, async (_, make) => {
    const { good, bad, keeper } = await filedOnce(make);
    const bytes = readFileSync(good);
    let named = 0;
    // 422: the messages of a fork cannot be listed.
    for (const seed of [422, ...Array.from({ length: times(20, 1_000) }, (_, seed) => seed)]) {
      const next = random(seed + 1);
      const broken = Buffer.from(bytes);
      const flips = 1 + Math.floor(next() * 12);
      for (let flip = 0; flip < flips; flip += 1) {
        const at = Math.floor(next() * broken.length);
        broken[at] = (broken[at] ?? 0) ^ (1 << Math.floor(next() * 8));
      }
      writeFileSync(bad, broken);
      const kept = keeper();
      const problems = await kept.run().catch((error: unknown) => {
        throw new Error(`seed ${seed}`, { cause: error });
      });
      if (problems.length > 0) named += 1;
      // A flipped letter is an ordinary change; a lost session is not.
      expect([seed, kept.filed().size >= SESSIONS]).toEqual([seed, true]);
    }
    expect(named).toBeGreaterThan(0);
  });

  const VALUES = ['NULL', '-1', '1e300', '9223372036854775807', "x'00ff'", "'text'", "''", "'a' || char(0)"];
  const COLUMNS = {
    session: 'id parent_id slug directory title version revert time_created time_updated project_id'.split(
      ' ',
    ),
    message: ['id', 'session_id', 'time_created', 'time_updated', 'data'],
    part: ['id', 'message_id', 'session_id', 'time_created', 'time_updated', 'data'],
  };

  it.each(Object.entries(COLUMNS))(
    'with values of every type in the columns of %s',
    async (table, columns) => {
      const { good, bad, keeper } = await filedOnce();
      for (const column of columns) {
        for (const value of VALUES.slice(0, times(2, VALUES.length))) {
          for (const rows of ['rowid = 2', '1'].slice(0, times(1, 2))) {
            copyFileSync(good, bad);
            const database = lawless(bad);
            database.exec(`UPDATE ${table} SET "${column}" = ${value} WHERE ${rows}`);
            database.close();
            const kept = keeper();
            const problems = await kept.run();
            const where = `${table}.${column} = ${value} where ${rows}`;
            expect([where, missing(kept), doubled(kept), problems]).toEqual([where, [], [], problems]);
            if (!thorough) continue;
            const fresh = new Keeper(bad);
            await fresh.run();
            expect([where, doubled(fresh)]).toEqual([where, []]);
          }
        }
      }
    },
  );

  /** Parts without text, which are skipped by type without a problem. */
  const TEXTLESS = [
    '{"type":"tool","tool":"bash","state":5}',
    '{"type":"tool","tool":"bash","state":{}}',
    '{"type":"__proto__","text":"x"}',
    '{"type":"constructor","text":"x"}',
  ];
  const JSONS = [
    '',
    '{',
    'null',
    '[]',
    '5',
    '"text"',
    '{"type":5}',
    '{"role":[]}',
    '{"type":"text"}',
    '{"type":"text","text":5}',
    '{"type":"text","text":null}',
    `${'['.repeat(20_000)}`,
    `${'[{"a":'.repeat(3_000)}1${'}]'.repeat(3_000)}`,
    '\u0000{}',
    '\ufeff{}',
    '{"__proto__":{"type":"text"}}',
    ...TEXTLESS,
  ];
  it.each(['message', 'part'])('with invalid or unexpected JSON in data of %s', async (table) => {
    const { good, bad, keeper } = await filedOnce();
    for (const data of JSONS) {
      for (const rows of thorough ? ['rowid = 3', '1'] : ['1']) {
        copyFileSync(good, bad);
        const database = new Database(bad);
        database
          .prepare(`UPDATE ${table} SET data = ?, time_updated = ? WHERE ${rows}`)
          .run(data, START_MS + 9e8);
        database.close();
        const kept = keeper();
        const problems = await kept.run();
        const where = `${data.slice(0, 40)} where ${rows}`;
        expect([where, missing(kept)]).toEqual([where, []]);
        if (table === 'part' && TEXTLESS.includes(data)) continue;
        expect([where, problems.length > 0]).toEqual([where, true]);
      }
    }
  });

  it('with sessions that are their own or each other’s parents', async () => {
    const { good, bad, keeper } = await filedOnce();
    for (const [child, parent] of [
      ['ses_0', 'ses_0'],
      ['ses_0', 'ses_3'],
      ['ses_1', 'ses_nobody'],
    ]) {
      copyFileSync(good, bad);
      const database = new Database(bad);
      database.prepare('UPDATE session SET parent_id = ? WHERE id = ?').run(parent, child);
      database.close();
      const kept = keeper();
      expect(await kept.run()).toEqual([]);
      expect([missing(kept), doubled(kept)]).toEqual([[], []]);
    }
  });

  it.each(['session', 'message', 'part'])('with every row of %s twice under one id', async (table) => {
    const { good, bad, keeper } = await filedOnce();
    copyFileSync(good, bad);
    const database = lawless(bad);
    database.exec(`INSERT INTO ${table} SELECT * FROM ${table}`);
    database.close();
    for (const kept of [keeper(), new Keeper(bad)]) {
      await kept.run();
      expect([missing(kept), doubled(kept)]).toEqual([[], []]);
    }
  });

  it('of a schema of the future: unknown columns, tables, roles and part types', async () => {
    const { good, bad, keeper } = await filedOnce();
    copyFileSync(good, bad);
    const database = new Database(bad);
    database.exec(`
      ALTER TABLE session ADD COLUMN mood text DEFAULT 'calm';
      ALTER TABLE message ADD COLUMN weight integer NOT NULL DEFAULT 5;
      ALTER TABLE part ADD COLUMN sealed blob;
      CREATE TABLE dream (id text PRIMARY KEY, data text);
      INSERT INTO part SELECT 'prt_z1', id, session_id, time_created, time_updated,
        '{"type":"hologram","text":"shown in the air"}', NULL FROM message WHERE rowid = 1;
      INSERT INTO message SELECT 'msg_z1', session_id, time_created + 1, time_updated, '{"role":"oracle"}', 5
        FROM message WHERE rowid = 1;`);
    database.close();
    for (const kept of [keeper(), new Keeper(bad)]) {
      expect(await kept.run()).toEqual([]);
      expect([missing(kept), doubled(kept)]).toEqual([[], []]);
    }
  });
});

describe('filed messages stay when their rows', () => {
  const LATER = START_MS + 9e8;
  it.each([
    [
      'get a type that this version does not know',
      `UPDATE part SET data = replace(data, '"type":"text"', '"type":"prose"') WHERE rowid % 2`,
    ],
    [
      'get a role that this version does not know',
      `UPDATE message SET data = replace(data, '"role":"user"', '"role":"human"')`,
    ],
    [
      'grow above the size limit',
      `UPDATE part SET data = '{"type":"text","text":"' || hex(zeroblob(17000000)) || '"}' WHERE rowid = 3`,
    ],
    ['are no text any more', `UPDATE part SET data = x'7b' WHERE rowid % 2`],
    ['lose their message', `DELETE FROM message WHERE rowid % 3 = 0`],
    ['lose their session', `UPDATE message SET session_id = 'ses_elsewhere' WHERE rowid % 2`],
  ])('%s', async (_, change) => {
    const { good, bad, keeper } = await filedOnce();
    copyFileSync(good, bad);
    const database = lawless(bad);
    database.exec(
      `${change}; UPDATE part SET time_updated = ${LATER}; UPDATE session SET time_updated = ${LATER}`,
    );
    database.close();
    const kept = keeper();
    const problems = await kept.run();
    expect([missing(kept), doubled(kept)]).toEqual([[], []]);
    expect(problems.length).toBeGreaterThan(0);
  });
});

it('a part belongs to its message, even if all parts have one id', async () => {
  const { bad, keeper } = await filedOnce();
  const database = lawless(bad);
  database.exec('UPDATE part SET id = (SELECT min(id) FROM part), time_updated = time_updated + 1e9');
  database.close();
  const kept = keeper();
  expect(await kept.run()).toEqual([]);
  expect([missing(kept), doubled(kept)]).toEqual([[], []]);
});

describe('the program itself, on a damaged database', () => {
  it('exits with 0, 1 or 3 and a named cause; filed drawers stay', async ({ env }) => {
    const bad = join(env.home, 'opencode.db');
    const good = join(env.home, 'good.db');
    history(good);
    copyFileSync(good, bad);
    const args = ['--db', bad, '--min-messages', '1'];
    await env.json('mempalace-session', args);
    const whole = readFileSync(good).length;
    const damages: (() => void)[] = [
      () => truncateSync(bad, Math.floor(whole / 2)),
      () => truncateSync(bad, 100),
      () => truncateSync(bad, 0),
      () => {
        const database = lawless(bad);
        database.exec(`UPDATE part SET data = x'00'; UPDATE message SET id = NULL WHERE rowid % 2`);
        database.close();
      },
    ];
    const next = random(5);
    for (let flips = 0; flips < times(1, 40); flips += 1) {
      damages.push(() => {
        const bytes = readFileSync(bad);
        for (let flip = 0; flip < 30; flip += 1) {
          const at = Math.floor(next() * bytes.length);
          bytes[at] = (bytes[at] ?? 0) ^ (1 << Math.floor(next() * 8));
        }
        writeFileSync(bad, bytes);
      });
    }
    for (const damage of damages) {
      copyFileSync(good, bad);
      damage();
      const { exitCode, stderr } = await env.spawn('mempalace-session', args);
      expect([0, 1, 3], stderr).toContain(exitCode);
      if (exitCode === 1) expect(stderr).toMatch(/^error: .*opencode\.db .*\n {2}hint: /m);
      if (exitCode === 3) expect(stderr).toMatch(/^warning: /m);
      expectNoBug(stderr);
      expect(problemsOf(env.palace)).toEqual([]);
      expect(joinedDrawers(env.palace).size).toBeGreaterThanOrEqual(SESSIONS);
    }
  });
});
