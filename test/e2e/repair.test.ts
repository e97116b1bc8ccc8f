import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import Database from 'better-sqlite3';
import { execa } from 'execa';
import { describe, expect, it } from 'vitest';
import { takeLock } from '../../src/platform/lock.js';
import { palaceFile } from '../../src/store/index.js';
import { contentOf } from '../support/drawers.js';
import { schemas } from '../support/json-schemas.js';
import { TestEnv } from '../support/test-env.js';

const PROGRAM = fileURLToPath(new URL('../../bin/mempalace', import.meta.url));
/** script(1) of Linux provides a terminal. */
const hasTerminal = process.platform === 'linux' && existsSync('/usr/bin/script');

function change(env: TestEnv, sql: string): void {
  const database = new Database(palaceFile(env.palace));
  database.exec(sql);
  database.close();
}

const filed = async (files: Record<string, string>): Promise<TestEnv> => {
  const env = new TestEnv();
  await env.json('mempalace-docs', [env.project('shop', files)]);
  return env;
};
const DOCUMENTS = { 'docs/proxy.md': '# Proxy\n\nPort 8443.\n', 'docs/tax.md': '# Tax\n\nRounded once.\n' };

describe('mempalace repair', () => {
  it('asks for confirmation, and requires --yes without a terminal', async () => {
    const env = await filed(DOCUMENTS);
    const before = env.fingerprint();
    const outcome = await env.run('mempalace', ['repair']);
    expect(outcome).toMatchObject({ exitCode: 2, stdout: '' });
    expect(outcome.stderr).toContain('hint: --yes agrees');
    expect(env.fingerprint()).toBe(before);
  });

  it.skipIf(!hasTerminal)('accepts y as yes, and everything else as no', async () => {
    const env = await filed(DOCUMENTS);
    const answer = async (input: string) => {
      const command = `'${process.execPath}' '${PROGRAM}' repair`;
      const { all } = await execa('/usr/bin/script', ['-qec', command, '/dev/null'], {
        env: env.env,
        extendEnv: false,
        input,
        all: true,
        reject: false,
      });
      return all;
    };
    const question = /Rebuild the indexes of .* \(2 drawers, .* about .*\)\? \[y\/N\]/;
    for (const no of ['\n', 'no\n', 'what\n', '\u0004']) {
      const said = await answer(no);
      expect(said).toMatch(question);
      expect(said).toContain('not confirmed');
    }
    const said = await answer('y\n');
    expect(said).toMatch(question);
    expect(said).toContain('nothing was wrong');
    expect(said).toContain('rebuilt the lexical index and the codes');
  });

  it('embeds texts without a vector with the palace’s model, and reports the damage', async () => {
    const env = await filed(DOCUMENTS);
    const content = contentOf(env.palace) as { vectors: { hash: string }[] };
    change(env, 'DELETE FROM embeddings WHERE vector_id = 1; DELETE FROM codes');
    const status = await env.run('mempalace', ['repair-status', '--json']);
    expect(status.exitCode).toBe(1);
    expect(schemas.repairStatus.parse(JSON.parse(status.stdout))).toMatchObject({
      vectors_lost: 1,
      cure: 'mempalace repair',
    });
    const before = env.fingerprint();
    const dry = schemas.repairDryRun.parse(await env.json('mempalace', ['repair', '--dry-run']));
    expect(dry).toMatchObject({ vectors_lost: 1, vectors_restored: 0, problems: dry.left });
    expect(env.fingerprint()).toBe(before);
    const done = schemas.repair.parse(await env.json('mempalace', ['repair', '--yes']));
    expect(done).toMatchObject({ vectors_lost: 1, vectors_restored: 1, left: [], compacted: true });
    expect(done.problems).toEqual(dry.problems);
    const backups = () => readdirSync(join(env.palace, 'backups'));
    expect(backups()).toEqual([expect.stringContaining('before-repair')]);
    await env.json('mempalace', ['repair', '--yes', '--no-backup']);
    expect(backups()).toHaveLength(1);
    const sound = schemas.repairStatus.parse(await env.json('mempalace', ['repair-status', '--full']));
    expect(sound).toMatchObject({ problems: [], cure: null, vectors_lost: 0 });
    const after = contentOf(env.palace) as { vectors: { hash: string }[] };
    const hashes = ({ vectors }: { vectors: { hash: string }[] }) => vectors.map(({ hash }) => hash);
    expect(hashes(after)).toEqual(hashes(content));
    expect({ ...after, vectors: [] }).toEqual({ ...content, vectors: [] });
    expect((await env.run('mempalace', ['search', 'port of the proxy'])).stdout).toContain('8443');
  });

  it('waits for the run lock, and needs a palace', async () => {
    const env = await filed(DOCUMENTS);
    const lock = await takeLock(join(env.palace, 'run.lock'), 'a long run', 0);
    const outcome = await env.run('mempalace', ['repair', '--yes', '--wait', '0']);
    expect(outcome).toMatchObject({ exitCode: 11, stderr: expect.stringContaining('locked by a long run') });
    lock.release();
    const none = await new TestEnv().run('mempalace', ['repair', '--yes']);
    expect(none).toMatchObject({ exitCode: 1, stderr: expect.stringContaining('there is no palace') });
  });
});
