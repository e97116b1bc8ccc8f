import { existsSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import Database from 'better-sqlite3';
import { describe, expect, it } from 'vitest';
import { MANIFEST_NAME } from '../../../src/core/contract.js';
import { readManifest } from '../../../src/platform/manifest-file.js';
import { palaceFile } from '../../../src/store/index.js';
import { wordyDocument } from '../../support/documents.js';
import { contentOf, expectSameRows, joinedDrawers } from '../../support/drawers.js';
import { exchange, OpencodeDatabase, START_MS } from '../../support/opencode-database.js';
import { expectNoBug } from '../../support/small-disk.js';
import { problemsOf } from '../../support/soundness.js';
import { TestEnv } from '../../support/test-env.js';
import { has, run } from '../../support/tools.js';

/** Fewer for a quick test: FAULT_SESSIONS=5000. */
const SESSIONS = Number(process.env.FAULT_SESSIONS ?? 100_000);
/** A run is killed when the staging manifest has grown by this many bytes: a tenth of the whole. */
const GROWN_BY = SESSIONS * 50;

/** Runs a program; peak memory in megabytes, if the system reports it. */
async function measured(env: TestEnv, program: string, args: readonly string[]) {
  const child = env.start(program, args);
  let peak = 0;
  while (child.exitCode === null && child.signalCode === null) {
    const status = `/proc/${child.pid}/status`;
    const kilobytes = existsSync(status)
      ? /VmHWM:\s+(\d+)/.exec(readFileSync(status, 'utf8'))?.[1]
      : undefined;
    peak = Math.max(peak, Number(kilobytes ?? 0) / 1024);
    await sleep(20);
  }
  return { ...(await child), peak };
}

describe.skipIf(!has('sqlite3'))('one part (skipped without the sqlite3 shell)', () => {
  it.each([400, 600])(
    'of %d MB is named by its size; the rest is filed, in little memory',
    async (megabytes) => {
      const env = new TestEnv();
      const path = join(env.home, 'opencode.db');
      const history = new OpencodeDatabase(path);
      const id = history.addSession({
        messages: exchange('What fills the disk?', 'A log of the elephants.'),
      });
      history.addSession({ messages: exchange('And the other one?', 'Nothing of that kind.') });
      history.close();
      // The shell writes what better-sqlite3 could not: its own limit is half a gigabyte.
      const written = run('sqlite3', [
        path,
        `INSERT INTO part SELECT 'prt_zzz', id, session_id, time_created, time_updated,
           '{"type":"text","text":"' || hex(zeroblob(${megabytes * 500_000})) || '"}' FROM message
         WHERE session_id = '${id}' LIMIT 1`,
      ]);
      expect([written.status, written.stderr]).toEqual([0, '']);
      expect(statSync(path).size).toBeGreaterThan(megabytes * 1e6);
      const { exitCode, stderr, peak } = await measured(env, 'mempalace-session', [
        '--db',
        path,
        '--min-messages',
        '1',
      ]);
      expect(exitCode, stderr).toBe(3);
      expect(stderr).toMatch(/parts over 32 MB.*prt_zzz/);
      expectNoBug(stderr);
      expect(peak).toBeLessThan(700);
      const filed = [...joinedDrawers(env.palace).values()].join('\n');
      for (const text of ['What fills the disk?', 'A log of the elephants.', 'Nothing of that kind.'])
        expect(filed).toContain(text);
      console.log(`${megabytes} MB in one part: ${peak.toFixed(0)} MB of memory`);
    },
  );
});

describe('a long first run that is killed again and again', () => {
  it(`stages ${SESSIONS} sessions in the end, and every run stages more`, async () => {
    const env = new TestEnv();
    const path = join(env.home, 'opencode.db');
    const history = new OpencodeDatabase(path);
    history.database.exec(`
      WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${SESSIONS})
        INSERT INTO session (id, project_id, slug, directory, title, version, time_created, time_updated)
        SELECT printf('ses_%08d', i), 'global', 'slug', '/home/dev/shop', 'Session ' || i, '1.18.33',
          ${START_MS} + i * 1000, ${START_MS} + i * 1000 FROM n;
      INSERT INTO message SELECT 'msg_' || substr(id, 5), id, time_created, time_created, '{"role":"user"}' FROM session;
      INSERT INTO part SELECT 'prt_' || substr(id, 5), id, session_id, time_created, time_created,
        '{"type":"text","text":"What of number ' || id || '?"}' FROM message;`);
    history.close();
    const args = ['--db', path, '--min-messages', '1', '--stage-only'];
    const folder = join(env.cache, 'mempalace-session/wing_conversations');
    const bytesOfRecord = () => statSync(join(folder, MANIFEST_NAME), { throwIfNoEntry: false })?.size ?? 0;
    let recorded = 0;
    let runs = 0;
    for (let done = false; !done; runs += 1) {
      const child = env.start('mempalace-session', args);
      const before = bytesOfRecord();
      while (child.exitCode === null && bytesOfRecord() < before + GROWN_BY) await sleep(100);
      child.kill('SIGKILL');
      const outcome = await child;
      done = outcome.exitCode === 0;
      const now = readManifest(folder)?.sources.length ?? 0;
      expect(now).toBeGreaterThan(done ? recorded - 1 : recorded);
      recorded = now;
      console.log(`run ${runs + 1}: ${recorded} of ${SESSIONS} staged${done ? ', done' : ', killed'}`);
    }
    expect(recorded).toBe(SESSIONS);
    expect(runs).toBeGreaterThan(2);
    const some = await env.json('mempalace-session', ['--db', path, '--min-messages', '1', '--limit', '50']);
    expect(some).toMatchObject({ new: 50, problems: [] });
  });

  it('files everything in the end, and embeds only the interrupted batch twice', async () => {
    const env = new TestEnv();
    const files = Object.fromEntries(
      Array.from({ length: 700 }, (_, i) => [`d${i % 9}/doc${i}.md`, wordyDocument(i)] as const),
    );
    const shop = env.project('shop', files);
    /** Texts with a vector, filed or not. */
    const kept = () => {
      if (!existsSync(palaceFile(env.palace))) return 0;
      const raw = new Database(palaceFile(env.palace), { readonly: true });
      try {
        const sql = 'SELECT (SELECT count(*) FROM embeddings) + (SELECT count(*) FROM unfiled_vectors)';
        return Number(raw.prepare(sql).pluck().get());
      } catch {
        // The palace is being created.
        return 0;
      } finally {
        raw.close();
      }
    };
    let before = 0;
    let kills = 0;
    for (let done = false; !done; ) {
      const child = env.start('mempalace-docs', [shop]);
      while (child.exitCode === null && kept() === before) await sleep(30);
      child.kill('SIGKILL');
      done = (await child).exitCode === 0;
      if (done) break;
      kills += 1;
      expect(problemsOf(env.palace)).toEqual([]);
      const now = kept();
      expect(now).toBeGreaterThan(before);
      before = now;
    }
    console.log(`killed ${kills} times, each as soon as something new was kept`);
    expect(kills).toBeGreaterThan(2);
    const calm = join(env.home, 'calm');
    await env.json('mempalace-docs', [shop, '--palace', calm]);
    expectSameRows(contentOf(env.palace), contentOf(calm));
  });
});
