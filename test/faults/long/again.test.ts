import { cpSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import Database from 'better-sqlite3';
import { describe, expect, it } from 'vitest';
import { Palace, palaceFile } from '../../../src/store/index.js';
import { wordyDocument } from '../../support/documents.js';
import { contentOf, expectSameRows } from '../../support/drawers.js';
import { bulkPalace, E5, madeUpPalace, writeStick } from '../../support/made-palaces.js';
import { fileTexts, temporaryPalace } from '../../support/palace.js';
import { problemsOf } from '../../support/soundness.js';
import { TestEnv } from '../../support/test-env.js';
import { times } from '../../support/thorough.js';
import { traces } from '../../support/traces.js';

const FIXTURES = fileURLToPath(new URL('../../fixtures/opencode/', import.meta.url));
const NEWER = join(FIXTURES, 'opencode-1.18.33.db');
const OLDER = join(FIXTURES, 'opencode-1.2.27.db');

/** Enough texts to kill a reembed in the middle. */
const TEXTS = 450;

/** Texts with a vector of the next model. */
function gatheredNow(env: TestEnv): number {
  return Palace.look(env.palace, ({ model, reembedding }) =>
    model.id === E5 ? TEXTS : reembedding.counts().gathered,
  );
}

describe('killed again and again, a run', () => {
  it('of sessions leaves a palace that the next run completes, equal to one that was never killed', async () => {
    const calm = new TestEnv();
    await calm.json('mempalace-session', ['--db', NEWER, '--min-messages', '1']);
    const env = new TestEnv();
    for (const delay of [700, 1_500, 300, 1_100].slice(0, times(2, 4))) {
      const child = env.start('mempalace-session', ['--db', NEWER, '--min-messages', '1']);
      await sleep(delay);
      child.kill('SIGKILL');
      await child;
    }
    await env.json('mempalace-session', ['--db', NEWER, '--min-messages', '1']);
    expect(contentOf(env.palace)).toEqual(contentOf(calm.palace));
  });

  it('of both feeders, with documents changed, renamed and removed between, loses and duplicates nothing', async () => {
    const env = new TestEnv();
    const names = Array.from({ length: 24 }, (_, i) => `d${i % 3}/doc${i}.md`);
    const project = env.project('shop', Object.fromEntries(names.map((name, i) => [name, wordyDocument(i)])));
    const docs = ['mempalace-docs', [project]] as const;
    const sessions = ['mempalace-session', ['--db', OLDER, '--min-messages', '1']] as const;
    const kills = [docs, sessions, docs, sessions, docs].slice(0, times(2, 5));
    for (const [round, [program, args]] of kills.entries()) {
      const child = env.start(program, args);
      await sleep(350 + ((round * 617) % 1_900));
      child.kill('SIGKILL');
      await child;
      expect([round, problemsOf(env.palace)]).toEqual([round, []]);
      env.edit(join(project, names[round] ?? ''), wordyDocument(round) + wordyDocument(100 + round));
      renameSync(join(project, names[10 + round] ?? ''), join(project, `renamed${round}.md`));
      if (round % 3 === 1) rmSync(join(project, names[20 + (round % 4)] ?? ''), { force: true });
    }
    await env.json(docs[0], docs[1]);
    await env.json(sessions[0], sessions[1]);
    expect(await env.json(docs[0], docs[1])).toMatchObject({ new: 0, changed: 0, removed: 0, embedded: 0 });
    const survived = contentOf(env.palace);
    renameSync(env.palace, `${env.palace}.survived`);
    rmSync(env.cache, { recursive: true });
    await env.json(docs[0], docs[1]);
    await env.json(sessions[0], sessions[1]);
    expectSameRows(survived, contentOf(env.palace));
  });

  it('of reembed loses nothing', async () => {
    const kills = times(2, 40);
    const env = new TestEnv();
    const stick = writeStick(join(env.home, 'stick'));
    await env.json('mempalace', ['model', 'pull', E5, '--from', stick]);
    madeUpPalace(env.palace, TEXTS);
    const quiet = join(env.home, 'never-killed');
    cpSync(env.palace, quiet, { recursive: true });
    const started = performance.now();
    await env.json('mempalace', ['reembed', '--model', E5, '--palace', quiet]);
    const whole = performance.now() - started;
    let gathered = 0;
    const seen = new Set<number>();
    for (let kill = 0; kill < kills; kill += 1) {
      const child = env.start('mempalace', ['reembed', '--model', E5]);
      // From the start of the process to the switch, in random order.
      await sleep((whole * (((kill * 5) % kills) + Math.random())) / kills);
      child.kill('SIGKILL');
      await child;
      expect(problemsOf(env.palace)).toEqual([]);
      const now = gatheredNow(env);
      expect(now).toBeGreaterThanOrEqual(gathered);
      gathered = now;
      seen.add(now);
    }
    if (gathered < TEXTS) {
      // If the machine has become slower, all kills may have come too soon.
      const child = env.start('mempalace', ['reembed', '--model', E5]);
      while (gatheredNow(env) === gathered && child.exitCode === null) await sleep(5);
      child.kill('SIGKILL');
      await child;
      gathered = gatheredNow(env);
      seen.add(gathered);
    }
    expect(seen.size).toBeGreaterThan(1);
    const last = await env.json('mempalace', ['reembed', '--model', E5]);
    expect(last.texts).toBe(TEXTS);
    if (gathered < TEXTS) expect(last).toMatchObject({ resumed: gathered, embedded: TEXTS - gathered });
    expect(problemsOf(env.palace)).toEqual([]);
    expectSameRows(contentOf(env.palace), contentOf(quiet));
  });

  it('of repair loses nothing, and the next one completes it', async () => {
    const sections = Array.from(
      { length: 1_500 },
      (_, i) => `## Note ${i}\n\nThe otter${i} swam ${i * 7} miles.\n`,
    );
    const env = new TestEnv();
    await env.json('mempalace-docs', [env.project('shop', { 'notes.md': sections.join('\n') })]);
    const content = JSON.stringify(contentOf(env.palace));
    for (const delay of [450, 700, 300, 380, 520, 600, 850].slice(0, times(2, 7))) {
      const raw = new Database(palaceFile(env.palace));
      raw.exec('DELETE FROM codes');
      raw.close();
      const child = env.start('mempalace', ['repair', '--yes']);
      await sleep(delay);
      child.kill('SIGKILL');
      await child;
      const palace = Palace.read(env.palace);
      const rows = palace.check({ full: true }).problems.filter(({ kind }) => kind !== 'codes');
      palace.close();
      expect([delay, rows]).toEqual([delay, []]);
    }
    await env.json('mempalace', ['repair', '--yes']);
    expect(JSON.stringify(contentOf(env.palace)) === content).toBe(true);
  });

  it('of restore leaves the old palace or the new one, and the next one succeeds', async () => {
    const kills = times(2, 40);
    const env = new TestEnv();
    const other = new TestEnv();
    bulkPalace(env.palace, 'old', 120);
    bulkPalace(other.palace, 'new', 140);
    const file = join(env.home, 'copy.sqlite3');
    const files = [file, join(env.home, 'old.sqlite3')];
    await other.json('mempalace', ['backup', file]);
    await env.json('mempalace', ['backup', files[1] ?? '']);
    const started = Date.now();
    await other.json('mempalace', ['restore', file, '--yes']);
    const whole = Date.now() - started;
    const seen = new Set<number>();
    for (let kill = 0; kill < kills; kill += 1) {
      const child = env.start('mempalace', ['restore', files[kill % 2] ?? '', '--yes', '--no-backup']);
      await sleep(whole * 0.15 + (whole * 0.85 * (((kill * 3) % kills) + Math.random())) / kills);
      child.kill('SIGKILL');
      await child;
      expect(problemsOf(env.palace)).toEqual([]);
      const reader = Palace.read(env.palace);
      seen.add(reader.sources.ofKind('document').size);
      reader.close();
    }
    expect([...seen].every((count) => count === 120 || count === 140)).toBe(true);
    await env.json('mempalace', ['restore', file, '--yes']);
    expect(problemsOf(env.palace)).toEqual([]);
    expect(contentOf(env.palace)).toEqual(contentOf(other.palace));
    expect(readdirSync(env.palace).filter((name) => name.startsWith('.mempalace'))).toEqual([]);
  });

  it('of forget is completed by the next', async () => {
    const kills = times(2, 20);
    const env = new TestEnv();
    const palace = temporaryPalace(env.palace);
    palace.transaction(() => {
      for (let i = 0; i < 150; i += 1)
        fileTexts(
          palace,
          `doc:p/${i}.md`,
          Array.from({ length: 12 }, (_, n) => `secret${i} ${n} ${'filler '.repeat(40)}`),
          { origin: `/p/${i}.md`, wing: i % 10 === 0 ? 'wing_b' : 'wing_a' },
        );
    });
    palace.close();
    await env.json('mempalace', ['backup', join(env.home, 'copy')]);
    const args = ['forget', '--wing', 'wing_a', '--yes'];
    const started = Date.now();
    await env.json('mempalace', args);
    const whole = Date.now() - started;
    const left = new Set<number>();
    const marks = (): number => {
      const reader = Palace.read(env.palace);
      const { size } = reader.forgetting.keys();
      reader.close();
      return size;
    };
    for (let kill = 0; kill < kills; kill += 1) {
      rmSync(env.palace, { recursive: true });
      await env.json('mempalace', ['restore', join(env.home, 'copy'), '--yes']);
      const child = env.start('mempalace', args);
      // The first kill as soon as the marks are written; the others at any time.
      if (kill === 0) while (marks() === 0 && child.exitCode === null) await sleep(2);
      else await sleep(250 + ((whole - 250) * (((kill * 3) % kills) + Math.random())) / kills);
      child.kill('SIGKILL');
      await child;
      expect(problemsOf(env.palace)).toEqual([]);
      const reader = Palace.read(env.palace);
      left.add(reader.sources.ofKind('document').size);
      reader.close();
      // Any run completes it; the command itself also erases outside the palace.
      if (kill % 2 === 0) {
        const before = Palace.read(env.palace);
        const buried = before.forgetting.keys().size;
        before.close();
        temporaryPalace(env.palace).eraseForgotten();
        const after = Palace.read(env.palace);
        expect(after.sources.ofKind('document').size).toBe(150 - buried);
        after.close();
      }
      await env.json('mempalace', args);
      const done = Palace.read(env.palace);
      expect([done.sources.ofKind('document').size, done.forgetting.keys().size]).toEqual([15, 135]);
      done.close();
      expect(problemsOf(env.palace)).toEqual([]);
      expect(traces(env, 'secret1 ', 'secret149 ')).toEqual([]);
    }
    // A source is erased as a whole.
    expect([150, 15]).toEqual(expect.arrayContaining([...left]));
  });
});
