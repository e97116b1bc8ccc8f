import { existsSync, mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { execa } from 'execa';
import { describe, expect, vi } from 'vitest';
import { hooksFolder, waiting } from '../../src/hooks/queue.js';
import { takeLock } from '../../src/platform/lock.js';
import { palaceFile } from '../../src/store/index.js';
import { wordyDocument } from '../support/documents.js';
import { earlierPalaces } from '../support/earlier-palaces.js';
import { it } from '../support/it-env.js';
import { expectNoBug, largestFile, withFileLimit } from '../support/small-disk.js';
import { problemsOf } from '../support/soundness.js';
import { noteTalk, writeTalk } from '../support/talks.js';
import { TestEnv } from '../support/test-env.js';
import { times } from '../support/thorough.js';

interface Answer {
  stdout: string;
  stderr: string;
  exitCode: number | undefined;
  /** From the start of the process to its end. */
  ms: number;
}

/** Calls a hook as Claude Code does; `kilobytes`: it can write no larger file. */
async function hook(env: TestEnv, name: string, input: unknown, kilobytes?: number): Promise<Answer> {
  const argv = [...env.argv('mempalace'), 'hook', 'run', '--hook', name, '--harness', 'claude-code'];
  const limit = kilobytes === undefined ? '' : `ulimit -f ${kilobytes};`;
  const started = performance.now();
  const { stdout, stderr, exitCode } = await execa(
    'bash',
    ['-c', `${limit} exec "$0" "$@"`, process.execPath, ...argv],
    { env: env.env, extendEnv: false, reject: false, input: JSON.stringify(input) },
  );
  return { stdout, stderr, exitCode, ms: performance.now() - started };
}

/** The log line of a background run that has started. */
const BEGUN = /mempalace hook flush\[\d+\]: begins/g;
const FINE = { stdout: '{}', stderr: '', exitCode: 0 };
const logOf = (env: TestEnv) => readFileSync(join(hooksFolder(env.palace), 'hooks.log'), 'utf8');
const runner = (env: TestEnv) => join(hooksFolder(env.palace), 'runner');
const keysOf = async (env: TestEnv) => {
  const { sources } = await env.json('mempalace', ['list', 'sources', '--limit', '1000']);
  return (sources as { source_key: string }[]).map(({ source_key }) => source_key).sort();
};
/** A conversation that is longer than the file size limit. */
const talkOf = (i: number) => [wordyDocument(i), wordyDocument(1_000 + i)] as const;

describe('many hooks at once', () => {
  it('start one run, which files all recorded sessions', async ({ env }) => {
    const sessions = Array.from({ length: times(5, 40) }, (_, i) => `talk-${i}`);
    const inputs = sessions.map((session_id, i) => ({
      session_id,
      transcript_path: writeTalk(env, session_id, ...talkOf(i)),
    }));
    mkdirSync(env.palace, { recursive: true, mode: 0o700 });
    // The run waits for this lock, so the duration of the hooks does not matter.
    const lock = await takeLock(join(env.palace, 'run.lock'), 'a test', 0);
    try {
      const answers = await Promise.all(inputs.map((input) => hook(env, 'stop', input)));
      expect(answers).toMatchObject(inputs.map(() => FINE));
      await vi.waitFor(() => expect(logOf(env)).toMatch(BEGUN), { timeout: 60_000, interval: 100 });
    } finally {
      lock.release();
    }
    await vi.waitFor(() => expect([waiting(env.palace), existsSync(runner(env))]).toEqual([0, false]), {
      timeout: 120_000,
      interval: 200,
    });
    expect(logOf(env).match(BEGUN)).toHaveLength(1);
    expect(await keysOf(env)).toEqual(sessions.map((session) => `claude-code:${session}`).sort());
  });
});

describe('a palace that does not answer', () => {
  it('does not delay a harness: another program holds the lock', async ({ env }) => {
    noteTalk(env, 'talk-1', ...talkOf(1));
    await env.json('mempalace', ['hook', 'flush']);
    const free = await hook(env, 'session-start', {});
    expect(free.stdout).toContain('additionalContext');
    const holder = new Database(palaceFile(env.palace));
    try {
      holder.pragma('locking_mode = EXCLUSIVE');
      holder.exec('BEGIN EXCLUSIVE');
      const held = await hook(env, 'session-start', {});
      expect(held).toMatchObject(FINE);
      expect(logOf(env)).toContain('wake-up: ');
      // SQLite's own busy timeout is 5 s.
      expect(held.ms - free.ms).toBeLessThan(4_000);
    } finally {
      holder.close();
    }
  });

  it.each(earlierPalaces())('is not migrated while a harness waits: version $version', async (earlier) => {
    const env = new TestEnv();
    earlier.layInto(env.palace);
    const before = readFileSync(palaceFile(env.palace));
    expect(await hook(env, 'session-start', {})).toMatchObject(FINE);
    expect(logOf(env)).toContain('earlier version');
    expect(readFileSync(palaceFile(env.palace)).equals(before)).toBe(true);
  });
});

describe.skipIf(process.platform === 'win32')('a file size limit', () => {
  it.each([0, 1])(
    'a hook that can write %i KB answers, and earlier records are not lost',
    async (kilobytes) => {
      const env = new TestEnv();
      noteTalk(env, 'talk-1', ...talkOf(1));
      const input = { session_id: 'talk-2', transcript_path: writeTalk(env, 'talk-2', ...talkOf(2)) };
      mkdirSync(hooksFolder(env.palace), { recursive: true, mode: 0o700 });
      // Claude Code shows its user what a hook prints before a compaction.
      for (const name of ['stop', 'precompact', 'session-end', 'session-start'])
        expect([name, await hook(env, name, input, kilobytes)]).toMatchObject([
          name,
          { ...FINE, stdout: name === 'precompact' ? '' : '{}' },
        ]);
      await vi.waitFor(() => expect(existsSync(runner(env))).toBe(false), { timeout: 60_000, interval: 100 });
      await env.json('mempalace', ['hook', 'flush']);
      expect(await keysOf(env)).toContain('claude-code:talk-1');
      expect(problemsOf(env.palace)).toEqual([]);
    },
  );

  it('a run reports the error, loses nothing, and the next run files it', async ({ env }) => {
    const flush = ['mempalace', ['hook', 'flush']] as const;
    noteTalk(env, 'talk-0', ...talkOf(0));
    await env.json(...flush);
    const largest = Math.ceil(largestFile(env.palace) / 1024);
    let failures = 0;
    const rounds = times(1, 8);
    for (let round = 0; round < rounds; round += 1) {
      noteTalk(env, `talk-${round + 1}`, ...talkOf(round + 1));
      const limit = Math.floor((largest * (round + 0.5)) / rounds);
      // As many runs as attempts for a session that cannot be filed.
      for (let run = 0; run < 3; run += 1) {
        const outcome = await withFileLimit(env, flush, limit);
        expectNoBug(outcome.stderr);
        if (outcome.exitCode !== 0) failures += 1;
      }
      expect([round, problemsOf(env.palace)]).toEqual([round, []]);
      await env.json(...flush);
      expect(await keysOf(env)).toContain(`claude-code:talk-${round + 1}`);
    }
    expect(failures).toBeGreaterThan(0);
    expect([waiting(env.palace), existsSync(runner(env))]).toEqual([0, false]);
  });
});
