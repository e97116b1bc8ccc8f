import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import Database from 'better-sqlite3';
import { describe, expect } from 'vitest';
import { palaceFile } from '../../src/store/index.js';
import { contentOf, expectSameRows, joinedDrawers } from '../support/drawers.js';
import { waitingAtMost } from '../support/impatient.js';
import { it } from '../support/it-env.js';
import { exchange, OpencodeDatabase, START_MS } from '../support/opencode-database.js';
import { expectNoBug } from '../support/small-disk.js';
import { problemsOf } from '../support/soundness.js';
import type { TestEnv } from '../support/test-env.js';
import { random, times } from '../support/thorough.js';

/** The longest acceptable wait of a search. */
const PATIENCE_MS = 200;
const SEARCHERS = times(3, 8);
const SECONDS = times(5, 120);

const words = (next: () => number) =>
  Array.from({ length: 20 }, () => `w${Math.floor(next() * 5_000)}`).join(' ');

/** A user who edits: documents are added, changed and removed continuously. */
function edits(env: TestEnv, name: string, seed: number): { folder: string; edit: () => void } {
  const folder = env.project(name, { 'keep.md': `# Keep ${name}\n\nThe zebra of ${name}.\n` });
  const next = random(seed);
  let made = 0;
  const edit = () => {
    made += 1;
    env.edit(
      join(folder, `n${made % 40}.md`),
      `# Note ${made}\n\n${words(next)}\n\n## More\n\n${words(next)}\n`,
    );
    if (made % 7 === 0) rmSync(join(folder, `n${(made * 3) % 40}.md`), { force: true });
  };
  for (let i = 0; i < 10; i += 1) edit();
  return { folder, edit };
}

/** opencode at work: its pragmas, its short transactions, and no pause. */
function talks(
  env: TestEnv,
  name: string,
  seed: number,
): { path: string; say: () => void; close: () => void } {
  mkdirSync(join(env.home, name), { recursive: true });
  const history = new OpencodeDatabase(join(env.home, name, 'opencode.db'), { wal: true });
  for (const pragma of [
    'synchronous = NORMAL',
    'busy_timeout = 5000',
    'cache_size = -64000',
    'foreign_keys = ON',
  ])
    history.database.pragma(pragma);
  const next = random(seed);
  const sessions: { id: string; at: number }[] = [];
  let said = 0;
  const say = () => {
    said += 1;
    if (sessions.length === 0 || said % 12 === 0) {
      const created = START_MS + said * 60_000;
      const id = history.addSession({
        id: `ses_${name}${String(said).padStart(8, '0')}`,
        title: `${name} ${said}`,
        created,
        updated: created,
        messages: exchange(`${words(next)}?`, words(next)),
      });
      sessions.push({ id, at: created + 2_000 });
      return;
    }
    const session = sessions[Math.floor(next() * sessions.length)];
    if (session === undefined) return;
    for (const role of ['user', 'assistant']) {
      session.at += 1_000;
      history.addMessage(session.id, { at: session.at, role, parts: [`${words(next)} of ${said}`] });
    }
  };
  for (let i = 0; i < 30; i += 1) say();
  return { path: history.path, say, close: () => history.close() };
}

const BUSY = /SQLITE_BUSY|SQLITE_LOCKED|database is locked|is being written by another program/;

describe(`${SECONDS} s of four feeders, ${SEARCHERS} searches and opencode, all at once`, () => {
  it('lose and duplicate nothing; searches do not wait for a lock; no message mentions SQLite', async ({
    env,
  }) => {
    const projects = [edits(env, 'north', 1), edits(env, 'south', 2)];
    const histories = [talks(env, 'east', 3), talks(env, 'west', 4)];
    const feeders = [
      ...projects.map(({ folder }) => ['mempalace-docs', [folder]] as const),
      ...histories.map(({ path }) => ['mempalace-session', ['--db', path, '--min-messages', '1']] as const),
    ];
    await env.json('mempalace-docs', [projects[0]?.folder ?? '']);
    const deadline = performance.now() + SECONDS * 1_000;
    const going = () => performance.now() < deadline;
    let fed = 0;
    let asked = 0;
    const feed = async ([program, args]: (typeof feeders)[number]) => {
      while (going()) {
        const outcome = await env.spawn(program, [...args, '--wait', '10m', '--json']);
        expect([program, outcome.exitCode, outcome.stderr]).toEqual([program, 0, '']);
        expect(JSON.parse(outcome.stdout).problems).toEqual([]);
        fed += 1;
      }
    };
    const patience = waitingAtMost(PATIENCE_MS);
    const search = async (number: number) => {
      for (let turn = 0; going(); turn += 1) {
        const args =
          (turn + number) % 4 === 0
            ? ['status', '--json']
            : ['search', `zebra w${(turn * 31 + number) % 5_000}`, '--json'];
        const outcome = await env.spawn('mempalace', args, patience);
        expectNoBug(outcome.stderr);
        expect(outcome.stderr).not.toMatch(BUSY);
        expect([args[0], outcome.exitCode, outcome.stderr]).toEqual([args[0], 0, '']);
        if (args[0] === 'search') expect(outcome.stdout).toContain('zebra of north');
        asked += 1;
      }
    };
    const write = async () => {
      for (; going(); await sleep(150)) {
        for (const { say } of histories) say();
        if (Math.random() < 0.3) for (const { edit } of projects) edit();
      }
    };
    await Promise.all([
      write(),
      ...feeders.map(feed),
      ...Array.from({ length: SEARCHERS }, (_, number) => search(number)),
    ]);
    expect(problemsOf(env.palace)).toEqual([]);
    for (const [program, args] of feeders) await env.json(program, args);
    console.log(`${fed} runs fed, ${asked} searches asked`);
    expect(fed).toBeGreaterThanOrEqual(feeders.length);
    expect(problemsOf(env.palace)).toEqual([]);
    const sessions = histories.flatMap(({ path }) => {
      const raw = new Database(path, { readonly: true });
      const ids = raw.prepare('SELECT id FROM session').pluck().all().map(String);
      raw.close();
      return ids;
    });
    const filed = joinedDrawers(env.palace);
    expect([...filed.keys()].filter((key) => key.startsWith('opencode:')).sort()).toEqual(
      sessions.map((id) => `opencode:${id}`).sort(),
    );
    // A second palace, filed once from the final state.
    const calm = join(env.home, 'calm');
    for (const [program, args] of feeders) await env.json(program, [...args, '--palace', calm]);
    expectSameRows(contentOf(env.palace), contentOf(calm));
    for (const { close } of histories) close();
  });
});

describe('the measured wait of a search', () => {
  it('exceeds the limit with a longer lock, and not with a shorter one', async ({ env }) => {
    await env.json('mempalace-docs', [env.project('shop', { 'a.md': '# A\n\nThe zebra.\n' })]);
    const holder = new Database(palaceFile(env.palace));
    holder.pragma('journal_mode = DELETE');
    holder.exec('BEGIN EXCLUSIVE');
    const hit = await env.spawn('mempalace', ['search', 'zebra'], waitingAtMost(PATIENCE_MS));
    expect(hit.stderr).toMatch(BUSY);
    const free = env.spawn('mempalace', ['search', 'zebra'], waitingAtMost(20_000));
    await sleep(1_500);
    holder.close();
    expect(await free).toMatchObject({ exitCode: 0, stderr: '' });
  });
});
