import { existsSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import Database from 'better-sqlite3';
import { describe, expect, it } from 'vitest';
import { hooksFolder, waiting } from '../../src/hooks/queue.js';
import { inspectPalace, keptBackups, Palace, palaceFile } from '../../src/store/index.js';
import { wordyDocument } from '../support/documents.js';
import { contentOf, expectSameRows } from '../support/drawers.js';
import { earlierPalaces } from '../support/earlier-palaces.js';
import { type Command, type KillPlan, stagedIn, survivesKills } from '../support/kills.js';
import { bulkPalace, E5, madeUpPalace, writeStick } from '../support/made-palaces.js';
import { exchange, OpencodeDatabase } from '../support/opencode-database.js';
import { noteTalk } from '../support/talks.js';
import { TestEnv } from '../support/test-env.js';
import { thorough, times } from '../support/thorough.js';

const SESSIONS = fileURLToPath(new URL('../fixtures/opencode/opencode-1.2.27.db', import.meta.url));

function shopOf(env: TestEnv, count: number): string {
  const names = Array.from({ length: count }, (_, i) => [`d${i % 3}/doc${i}.md`, wordyDocument(i)] as const);
  return env.project('shop', Object.fromEntries(names));
}

/** Documents are changed, moved, added and removed, as between two runs. */
function change(env: TestEnv, shop: string): void {
  for (const i of [0, 4, 8, 12])
    env.edit(join(shop, `d${i % 3}/doc${i}.md`), wordyDocument(i) + wordyDocument(100 + i));
  for (const i of [1, 5]) renameSync(join(shop, `d${i % 3}/doc${i}.md`), join(shop, `renamed${i}.md`));
  for (const i of [2, 7]) rmSync(join(shop, `d${i % 3}/doc${i}.md`));
  for (const i of [200, 201, 202]) env.edit(join(shop, `new${i}.md`), wordyDocument(i));
}

const sessions: Command = ['mempalace-session', ['--db', SESSIONS, '--min-messages', '1']];

/** Content of the palace; every kept backup must be complete, and there must be no unfinished files. */
const palaceOf = (env: TestEnv): unknown => {
  for (const { file } of keptBackups(env.palace)) inspectPalace(file);
  const about = [env.palace, join(env.palace, 'backups')].flatMap((folder) => {
    try {
      return readdirSync(folder).filter((name) => name.startsWith('.'));
    } catch {
      return [];
    }
  });
  expect(about).toEqual([]);
  return contentOf(env.palace);
};
const bothOf = (env: TestEnv) => ({ palace: palaceOf(env), staged: stagedIn(env) });
const sameBoth = (killed: unknown, calm: unknown) => {
  const [one, other] = [killed, calm] as ReturnType<typeof bothOf>[];
  expectSameRows(one?.palace, other?.palace);
  expect(one?.staged).toEqual(other?.staged);
};
const asStaged = {
  look: stagedIn,
  compare: (killed: unknown, calm: unknown) => {
    expect(Object.keys(calm as object).length).toBeGreaterThan(20);
    expect(killed).toEqual(calm);
  },
};
const asPalace = { look: palaceOf, compare: expectSameRows };
/** No recorded session is lost, and no ticket or entry remains. */
const asFlushed = {
  look: (env: TestEnv) => {
    expect([waiting(env.palace), existsSync(join(hooksFolder(env.palace), 'runner'))]).toEqual([0, false]);
    return palaceOf(env);
  },
  compare: expectSameRows,
};
const asBoth = { look: bothOf, compare: sameBoth };

/** A killed repair may leave damage that the next repair fixes; rows must be intact. */
const rowsOf = (palace: string) =>
  Palace.look(palace, (open) =>
    open.check({ full: true }).problems.filter(({ kind }) => kind !== 'codes' && kind !== 'vectors'),
  );

type Prepared = Pick<KillPlan, 'command' | 'look' | 'compare' | 'sound'>;
interface Scenario {
  of: string;
  kills: number;
  /** Also in `npm test`. */
  quick?: boolean;
  prepare: (env: TestEnv) => Promise<Prepared>;
}

const SCENARIOS: Scenario[] = [
  {
    of: 'staging documents',
    kills: times(1, 20),
    quick: true,
    prepare: async (env) => {
      const shop = shopOf(env, 60);
      await env.json('mempalace-docs', [shop, '--stage-only']);
      change(env, shop);
      return { command: ['mempalace-docs', [shop, '--stage-only']], ...asStaged };
    },
  },
  {
    of: 'staging sessions',
    kills: times(1, 20),
    prepare: async (env) => {
      const history = new OpencodeDatabase(join(env.home, 'opencode.db'));
      for (let i = 0; i < 60; i += 1)
        history.addSession({
          title: `Talk ${i}`,
          messages: exchange(wordyDocument(i), wordyDocument(1_000 + i)),
        });
      history.close();
      const args = ['--db', history.path, '--min-messages', '1', '--stage-only'];
      return { command: ['mempalace-session', args], ...asStaged };
    },
  },
  {
    of: 'mining documents that changed',
    kills: times(1, 25),
    prepare: async (env) => {
      const shop = shopOf(env, 40);
      await env.json('mempalace-docs', [shop]);
      change(env, shop);
      return { command: ['mempalace-docs', [shop]], ...asBoth };
    },
  },
  {
    of: 'mining sessions for the first time',
    kills: times(1, 25),
    quick: true,
    prepare: async () => ({ command: sessions, ...asBoth }),
  },
  {
    of: 'deriving what the sessions of an earlier version did',
    kills: times(2, 25),
    quick: true,
    prepare: async (env) => {
      await env.json(...sessions);
      const raw = new Database(palaceFile(env.palace));
      expect(raw.prepare('SELECT count(*) FROM touched_files').pluck().get()).toBeGreaterThan(0);
      raw.exec('DELETE FROM touched_files; DELETE FROM failures; UPDATE sources SET activity = NULL');
      raw.close();
      return { command: sessions, ...asBoth };
    },
  },
  {
    of: 'mining what is staged',
    kills: times(1, 15),
    prepare: async (env) => {
      await env.json(sessions[0], [...sessions[1], '--stage-only']);
      return { command: ['mempalace', ['mine', env.cache]], ...asBoth };
    },
  },
  {
    of: 'filing what hooks noted',
    kills: times(1, 25),
    quick: true,
    prepare: async (env) => {
      for (let i = 0; i < 6; i += 1) noteTalk(env, `talk-${i}`, wordyDocument(i), wordyDocument(1_000 + i));
      return { command: ['mempalace', ['hook', 'flush']], ...asFlushed };
    },
  },
  {
    of: 'repairing',
    kills: times(1, 25),
    quick: true,
    prepare: async (env) => {
      const sections = Array.from(
        { length: 600 },
        (_, i) => `## Note ${i}\n\nThe otter${i} swam ${i * 7}.\n`,
      );
      const shop = env.project('shop', { 'notes.md': sections.join('\n') });
      await env.json('mempalace-docs', [shop]);
      const raw = new Database(palaceFile(env.palace));
      raw.exec('DELETE FROM codes; DELETE FROM embeddings WHERE vector_id IN (3, 5, 8)');
      raw.close();
      return { command: ['mempalace', ['repair', '--yes']], ...asPalace, sound: rowsOf };
    },
  },
  {
    of: 'reembedding',
    kills: times(1, 25),
    prepare: async (env) => {
      await env.json('mempalace', ['model', 'pull', E5, '--from', writeStick(join(env.home, 'stick'))]);
      madeUpPalace(env.palace, 450);
      return { command: ['mempalace', ['reembed', '--model', E5]], ...asPalace };
    },
  },
  {
    of: 'restoring',
    kills: times(1, 25),
    quick: true,
    prepare: async (env) => {
      bulkPalace(env.palace, 'old', 120, 20);
      const file = join(env.home, 'copy.sqlite3');
      await env.json('mempalace', ['backup', file]);
      rmSync(env.palace, { recursive: true });
      bulkPalace(env.palace, 'new', 140, 20);
      return { command: ['mempalace', ['restore', file, '--yes']], ...asPalace };
    },
  },
  ...earlierPalaces().map(
    ({ version, layInto }): Scenario => ({
      of: `migrating from version ${version}`,
      kills: times(1, 15),
      prepare: async (env) => {
        layInto(env.palace);
        return { command: ['mempalace', ['status']], ...asPalace };
      },
    }),
  ),
];

describe('kill -9 at a random moment, then one normal run: the result of an undisturbed run', () => {
  it.each(SCENARIOS.filter(({ quick }) => thorough || quick === true))(
    '$kills while $of',
    async ({ of, kills, prepare }) => {
      const env = new TestEnv();
      const plan = await prepare(env);
      const seed = [...of].reduce((sum, letter) => (sum * 31 + letter.charCodeAt(0)) | 0, 7);
      const { killed, whole } = await survivesKills({ env, kills, seed, ...plan });
      console.log(`${of}: ${killed} of ${kills} killed while at work, ${whole.toFixed(0)} ms alone`);
      if (thorough) expect(killed).toBeGreaterThan(kills / 5);
    },
  );
});
