import { renameSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { execa } from 'execa';
import { describe, expect, it } from 'vitest';
import { Palace, palaceFile } from '../../src/store/index.js';
import { contentOf } from '../support/drawers.js';
import { problemsIn, problemsOf } from '../support/soundness.js';
import { TestEnv } from '../support/test-env.js';

const SESSIONS = fileURLToPath(new URL('../fixtures/opencode/opencode-1.2.27.db', import.meta.url));
const PROGRAM = fileURLToPath(new URL('../../bin/mempalace-docs', import.meta.url));

/** A document of some drawers; no two have a text in common. */
const document = (seed: number, parts = 3) =>
  Array.from({ length: parts }, (_, part) => {
    const words = Array.from({ length: 25 }, (_, i) => `w${(seed * 7919 + part * 104_729 + i * 31) % 9_973}`);
    return `## Part ${part} of ${seed}\n\n${words.join(' ')}\n`;
  }).join('\n');

/** As `contentOf`; vectors rounded, since their last bits depend on the batch they were embedded in. */
function roundedContent(palace: string): unknown {
  const content = contentOf(palace) as { vectors: { hash: string; embedding: string }[] };
  const rounded = content.vectors.map(({ hash, embedding }) => {
    const bytes = Buffer.from(embedding, 'hex');
    const floats = Array.from({ length: bytes.length / 4 }, (_, i) => bytes.readFloatLE(i * 4));
    return { hash, sum: floats.reduce((sum, value, i) => sum + value * ((i % 7) + 1), 0).toFixed(3) };
  });
  return { ...content, vectors: rounded };
}

describe('runs that are killed', () => {
  it('one after the other, with documents changed, renamed and removed between, lose and double nothing', async () => {
    const env = new TestEnv();
    const names = Array.from({ length: 24 }, (_, i) => `d${i % 3}/doc${i}.md`);
    const project = env.project('shop', Object.fromEntries(names.map((name, i) => [name, document(i)])));
    const docs = ['mempalace-docs', [project]] as const;
    const sessions = ['mempalace-session', ['--db', SESSIONS, '--min-messages', '1']] as const;
    const kills = [docs, sessions, docs, sessions, docs];
    for (const [round, [program, args]] of kills.entries()) {
      const child = env.start(program, args);
      await sleep(350 + ((round * 617) % 1_900));
      child.kill('SIGKILL');
      await child;
      expect([round, problemsOf(env.palace)]).toEqual([round, []]);
      env.edit(join(project, names[round] ?? ''), document(round) + document(100 + round));
      renameSync(join(project, names[10 + round] ?? ''), join(project, `renamed${round}.md`));
      if (round % 3 === 1) rmSync(join(project, names[20 + (round % 4)] ?? ''), { force: true });
    }
    await env.json(docs[0], docs[1]);
    await env.json(sessions[0], sessions[1]);
    expect(await env.json(docs[0], docs[1])).toMatchObject({ new: 0, changed: 0, removed: 0, embedded: 0 });
    const survived = roundedContent(env.palace);
    renameSync(env.palace, `${env.palace}.survived`);
    rmSync(env.cache, { recursive: true });
    await env.json(docs[0], docs[1]);
    await env.json(sessions[0], sessions[1]);
    expect(survived).toEqual(roundedContent(env.palace));
  });
});

describe('a disk that is full', () => {
  it.skipIf(process.platform === 'win32')(
    'is named, leaves a sound palace, and the next run completes it',
    async () => {
      const env = new TestEnv();
      const files = Array.from({ length: 12 }, (_, i) => [`doc${i}.md`, document(i)] as const);
      const project = env.project('shop', Object.fromEntries(files));
      for (const kilobytes of [60, 100, 160, 350]) {
        const script = `ulimit -f ${kilobytes}; exec "$0" "$@"`;
        const outcome = await execa('bash', ['-c', script, process.execPath, PROGRAM, project], {
          env: env.env,
          extendEnv: false,
          reject: false,
        });
        expect(outcome.exitCode).toBe(1);
        expect(outcome.stderr).toMatch(/palace\.sqlite3 cannot be read or written/);
        expect(outcome.stderr).not.toContain('bug');
        expect(problemsOf(env.palace)).toEqual([]);
      }
      expect(await env.json('mempalace-docs', [project])).toMatchObject({ new: 12, problems: [] });
      expect(problemsOf(env.palace)).toEqual([]);
    },
  );
});

describe('a search', () => {
  it('never fails and never waits while runs file, remove and compact', async () => {
    const env = new TestEnv();
    const files = Array.from({ length: 1_200 }, (_, i) => [`n/${i}.md`, `note ${i} on zebra${i}`] as const);
    const project = env.project('shop', { 'keep.md': document(1), ...Object.fromEntries(files) });
    await env.json('mempalace-docs', [project]);
    const size = statSync(palaceFile(env.palace)).size;
    rmSync(join(project, 'n'), { recursive: true });
    env.edit(join(project, 'keep.md'), document(1) + document(2));
    const reader = Palace.read(env.palace);
    const [kept] = reader.drawersById(reader.lexical.candidates({ words: ['w7919'] }, 1));
    if (kept === undefined) throw new Error('nothing found');
    let running = true;
    const run = env.json('mempalace-docs', [project, '--allow-removals']).finally(() => {
      running = false;
    });
    let asked = 0;
    for (; running; asked += 1) {
      const [found] = reader.snapshot(() =>
        reader.drawersById(reader.lexical.candidates({ words: ['w7919'] }, 1)),
      );
      expect(found?.text).toBe(kept.text);
      const fresh = Palace.read(env.palace);
      const whole = fresh.snapshot(() => [fresh.drawerCount(), fresh.lexical.size()]);
      expect(whole[0]).toBe(whole[1]);
      fresh.close();
      await sleep(5);
    }
    expect(await run).toMatchObject({ removed: 1_200 });
    expect(asked).toBeGreaterThan(20);
    expect(problemsIn(reader)).toEqual([]);
    reader.close();
    await env.json('mempalace-docs', [project, '--force']);
    expect(statSync(palaceFile(env.palace)).size).toBeLessThan(size / 3);
    expect(problemsOf(env.palace)).toEqual([]);
  });
});
