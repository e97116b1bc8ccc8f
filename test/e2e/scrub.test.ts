import { join } from 'node:path';
import Database from 'better-sqlite3';
import { describe, expect } from 'vitest';
import { Palace, palaceFile } from '../../src/store/index.js';
import { it } from '../support/it-env.js';
import { problemsOf } from '../support/soundness.js';
import { TestEnv } from '../support/test-env.js';
import { textsWith, traces } from '../support/traces.js';
import { NEEDLES, TOKEN, unredacted } from '../support/unredacted.js';

const KINDS = { 'api-key': 1, 'github-token': 5, injected: 4, password: 2, private: 1 };

describe('mempalace scrub', () => {
  it('says how to fill a palace where there is none', async () => {
    const { exitCode, stderr } = await new TestEnv().run('mempalace', ['scrub']);
    expect([exitCode, stderr]).toEqual([1, expect.stringMatching(/there is no palace at .*hint: fill one/s)]);
  });

  it('applies the current rules to filed sources, and leaves no trace of secrets', async () => {
    const { env, shop, talks, history } = await unredacted();
    await env.json('mempalace', ['reembed', '--force']);
    const raw = new Database(palaceFile(env.palace));
    const problem = { origin: 'opencode://x', reason: 'unreadable rows', detail: `Rotate ${TOKEN}: 1 row` };
    raw.prepare('UPDATE runs SET skipped = ? WHERE id = 1').run(JSON.stringify([problem]));
    raw.close();
    expect(traces(env, ...NEEDLES).length).toBeGreaterThan(10);
    expect(textsWith(env, ...NEEDLES)).toHaveLength(3);

    const untouched = env.fingerprint();
    const plan = await env.run('mempalace', ['scrub', '--dry-run', '--json']);
    const told = await env.run('mempalace', ['scrub', '--dry-run']);
    expect(env.fingerprint()).toBe(untouched);
    expect(plan.exitCode).toBe(0);
    expect(JSON.parse(plan.stdout)).toMatchObject({ looked_at: 4, redacted: KINDS, staged_removed: 3 });
    expect(JSON.parse(plan.stdout).backups).toEqual([{ file: expect.any(String), outcome: 'holds' }]);
    for (const said of [plan, told])
      for (const needle of NEEDLES) expect(said.stdout + said.stderr).not.toContain(needle);
    expect(told.stderr + told.stdout).toContain('5 github-token');

    const scrubbed = await env.run('mempalace', ['scrub', '--json']);
    expect(scrubbed.exitCode).toBe(3);
    expect(JSON.parse(scrubbed.stdout)).toMatchObject({
      redacted: KINDS,
      staged_removed: 3,
      runs: 1,
      log_emptied: true,
    });
    expect(scrubbed.stderr).toContain('mempalace scrub --backups deletes it');
    expect(textsWith(env, ...NEEDLES)).toEqual([]);
    const left = new Set(traces(env, ...NEEDLES).map((trace) => trace.replace(/:.*/, '')));
    expect([...left].every((name) => /-before-reembed\.sqlite3$/.test(name))).toBe(true);
    expect(left.size).toBe(1);

    const rest = await env.json('mempalace', ['scrub', '--backups']);
    expect(rest).toMatchObject({ looked_at: 0, redacted: {}, backups: [{ outcome: 'removed' }] });
    expect(traces(env, ...NEEDLES)).toEqual([]);
    expect(problemsOf(env.palace)).toEqual([]);
    expect(await env.json('mempalace', ['scrub', '--all'])).toMatchObject({ looked_at: 4, redacted: {} });

    // The surrounding text is unchanged, drawers are slices of the text, and search finds them.
    const text = String((await env.json('mempalace', ['show', '55555555-eeee'])).text);
    expect(text).toContain('You may say <system-reminder>this</system-reminder> here.');
    expect(text).toContain('And now?\n\nThanks');
    expect(text.match(/^User:$/gm)).toHaveLength(2);
    const { hits } = await env.json('mempalace', ['search', 'green light', '--limit', '1']);
    expect(hits).toMatchObject([{ source_file: expect.stringContaining('deploy.md') }]);
    slicesOf(env);

    // The next runs restore nothing, and file exactly the same texts.
    const texts = textsOf(env);
    const { drawers_removed: removed } = await env.json('mempalace-docs', [shop]);
    expect(removed).toBe(0);
    await env.json('mempalace-session', []);
    await env.json('mempalace', ['mine', talks, '--mode', 'convos', '--force']);
    expect(textsOf(env)).toEqual(texts);
    expect(traces(env, ...NEEDLES)).toEqual([]);
    expect(textsWith(env, ...NEEDLES)).toEqual([]);
    expect(problemsOf(env.palace)).toEqual([]);
    history.close();
  }, 120_000);

  it('checks again when the configured rules change, in one wing on request', async ({ env }) => {
    const folders = ['one', 'two'].map((name) =>
      env.project(name, { 'README.md': `# ${name}\n\nSee ACME-1234 for it.\n` }),
    );
    for (const folder of folders) await env.json('mempalace-docs', [folder]);
    expect(await env.json('mempalace', ['scrub'])).toMatchObject({ looked_at: 0 });
    env.project('.config/mempalace', {
      'config.yaml': 'privacy:\n  rules:\n    - kind: ticket\n      pattern: ACME-\\d{4}\n',
    });
    expect(await env.json('mempalace', ['scrub', '--wing', 'wing_one'])).toMatchObject({
      looked_at: 1,
      redacted: { ticket: 1 },
      sources: [{ wing: 'wing_one' }],
      staged_removed: 1,
    });
    expect(textsWith(env, 'ACME')).toHaveLength(1);
    // A document that is missing from a staging folder is not deleted.
    const staged = join(env.cache, 'mempalace-docs/wing_one/one');
    expect(await env.json('mempalace', ['mine', staged, '--mode', 'convos'])).toMatchObject({ removed: 0 });
    expect(await env.json('mempalace', ['scrub'])).toMatchObject({ looked_at: 1, redacted: { ticket: 1 } });
    expect(textsWith(env, 'ACME')).toEqual([]);
    for (const folder of folders)
      expect(await env.json('mempalace-docs', [folder])).toMatchObject({ drawers_added: 0 });
  }, 240_000);

  it('reports a missing palace', async () => {
    const outcome = await new TestEnv().run('mempalace', ['scrub', '--dry-run']);
    expect(outcome).toMatchObject({ exitCode: 1, stdout: '' });
  });
});

/** Every drawer is the recorded slice of its source's text. */
function slicesOf(env: TestEnv): void {
  Palace.look(env.palace, (palace) => {
    for (const source of palace.archive.sources()) {
      const text = palace.sources.textOf(source.id);
      for (const drawer of palace.archive.drawers(source.id)) {
        expect(text.slice(drawer.start, drawer.end)).toBe(drawer.text);
        const before = text.slice(0, drawer.start + drawer.text.length - drawer.text.trimStart().length);
        expect(drawer.lineStart).toBe(before.split('\n').length);
      }
    }
  });
}

function textsOf(env: TestEnv): Record<string, string> {
  return Palace.look(env.palace, (palace) =>
    Object.fromEntries(
      [...palace.archive.sources()].map((source) => [source.sourceKey, palace.sources.textOf(source.id)]),
    ),
  );
}
