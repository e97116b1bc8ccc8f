import { setTimeout as sleep } from 'node:timers/promises';
import Database from 'better-sqlite3';
import { describe, expect, it } from 'vitest';
import { Palace, palaceFile } from '../../src/store/index.js';
import { wordyDocument } from '../support/documents.js';
import { connected } from '../support/mcp-client.js';
import { problemsOf } from '../support/soundness.js';
import { TestEnv } from '../support/test-env.js';

/** Three texts each: enough to be embedded for seconds, in several waves. */
const DOCUMENTS = 300;

function libraryOf(env: TestEnv): string {
  const names = Array.from({ length: DOCUMENTS }, (_, i) => [`doc${i}.md`, wordyDocument(i)] as const);
  return env.project('library', { ...Object.fromEntries(names), 'zz.md': '# Last\n\nThe heron sleeps.\n' });
}

const coverageIn = (env: TestEnv) => Palace.look(env.palace, ({ vectors }) => vectors.coverage());
const keptIn = (env: TestEnv): number => {
  const raw = new Database(palaceFile(env.palace), { readonly: true });
  const kept = raw.prepare('SELECT count(*) FROM unfiled_vectors WHERE length(embedding) > 0').pluck().get();
  raw.close();
  return Number(kept);
};

/** Starts a run, and ends it when all text is filed and some of it is embedded. */
async function endedBetween(env: TestEnv, library: string, signal: NodeJS.Signals) {
  const child = env.start('mempalace-docs', [library]);
  const isBetween = () => {
    try {
      return Palace.look(env.palace, (palace) => {
        const { texts, pending } = palace.vectors.coverage();
        return palace.sources.byKey(`${keyPrefix(palace)}zz.md`) !== undefined && pending < texts;
      });
    } catch {
      return false;
    }
  };
  while (!isBetween()) {
    if (child.exitCode !== null) throw new Error(`the run ended by itself: ${(await child).stderr}`);
    await sleep(20);
  }
  child.kill(signal);
  return await child;
}

const keyPrefix = (palace: Palace): string => `doc:${palace.projects.all()[0]?.id}/`;

describe('a run that ends after its text is filed, before it is embedded', () => {
  it('by SIGKILL: is searched by words at once, says so, and is completed by the next run, embedding nothing twice', async () => {
    const env = new TestEnv();
    const library = libraryOf(env);
    await endedBetween(env, library, 'SIGKILL');
    const { texts, pending, percent } = coverageIn(env);
    expect(pending).toBeGreaterThan(0);
    expect(percent).toBeLessThan(100);
    expect(problemsOf(env.palace)).toEqual([]);

    const note = `by words; meaning for ${percent} %`;
    const found = await env.json('mempalace', ['search', 'sleeping herons']);
    expect((found as { hits: { text: string }[] }).hits[0]?.text).toContain('The heron sleeps.');
    expect(found.notes).toContain(note);
    expect(
      ((await env.json('mempalace', ['search', 'herons', '--rank', 'lexical'])) as { notes: string[] }).notes,
    ).toEqual([]);
    const spoken = await env.run('mempalace', ['search', 'sleeping herons']);
    expect(spoken.stderr).toContain(note);
    expect(await env.json('mempalace', ['status'])).toMatchObject({ meaning: { texts, pending, percent } });
    expect((await env.run('mempalace', ['status'])).stdout).toContain(
      `${pending} of ${texts} texts have no vector yet`,
    );
    const { stdout } = await env.run('mempalace', ['doctor', '--json']);
    expect(stdout).toContain(`meaning for ${percent} %`);
    expect(stdout).not.toContain('disagree');
    const server = await connected(env);
    expect(await server.done('status')).toMatchObject({ meaning: { texts, pending, percent } });
    const near = { query: 'sleeping herons', max_distance: 0.9 };
    expect(((await server.done('search', near)) as { results: object[] }).results[0]).toMatchObject({
      matched_via: 'words',
      text: expect.stringContaining('The heron sleeps.'),
    });
    expect(await server.done('check_duplicate', { content: '# Last\n\nThe heron sleeps.' })).toMatchObject({
      is_duplicate: true,
      matches: [{ similarity: 1 }],
    });

    const kept = keptIn(env);
    const resumed = await env.json('mempalace-docs', [library]);
    expect(resumed).toMatchObject({ new: 0, changed: 0, embedded: pending - kept, pending: 0 });
    expect(coverageIn(env)).toEqual({ texts, pending: 0, percent: 100 });
    expect((await env.json('mempalace', ['search', 'sleeping herons'])).notes).not.toContain(note);
  }, 600_000);

  it('by Ctrl-C: ends with 130, and its message and record say what is left', async () => {
    const env = new TestEnv();
    const library = libraryOf(env);
    const { exitCode, stderr } = await endedBetween(env, library, 'SIGINT');
    expect(exitCode).toBe(130);
    const { pending, percent } = coverageIn(env);
    expect(stderr.replace(/\s+/g, ' ')).toContain(
      `what is filed is found by words; meaning for ${percent} %`,
    );
    const { runs } = (await env.json('mempalace', ['list', 'runs'])) as { runs: { counts: object }[] };
    expect(runs[0]).toMatchObject({ exit_code: 130, counts: { pending } });
    const resumed = await env.run('mempalace-docs', [library]);
    expect(resumed.stdout).toMatch(/\b\d+ vectors of earlier runs made$/m);
  }, 600_000);
});
