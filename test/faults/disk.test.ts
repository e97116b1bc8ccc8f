import { cpSync, mkdirSync, readdirSync, rmSync, statfsSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import Database from 'better-sqlite3';
import { execa } from 'execa';
import { afterEach, describe, expect, it } from 'vitest';
import { palaceFile } from '../../src/store/index.js';
import { wordyDocument } from '../support/documents.js';
import { contentOf, expectSameRows } from '../support/drawers.js';
import { earlierPalaces } from '../support/earlier-palaces.js';
import { type Command, keepHome, type Look, stagedIn, WRITTEN } from '../support/kills.js';
import { bulkPalace, E5, madeUpPalace, writeStick } from '../support/made-palaces.js';
import { temporaryFolder } from '../support/palace.js';
import {
  canMount,
  expectClear,
  expectNoBug,
  largestFile,
  mountSmall,
  resize,
  unmount,
  withFileLimit,
} from '../support/small-disk.js';
import { problemsOf } from '../support/soundness.js';
import { TestEnv } from '../support/test-env.js';
import { random, thorough, times } from '../support/thorough.js';

const SESSIONS = fileURLToPath(new URL('../fixtures/opencode/opencode-1.2.27.db', import.meta.url));

const documents = (count: number) =>
  Object.fromEntries(Array.from({ length: count }, (_, i) => [`doc${i}.md`, wordyDocument(i)] as const));

interface Phase {
  of: string;
  quick?: boolean;
  /** Returns the command; prepares HOME for it. */
  prepare: (env: TestEnv) => Promise<Command>;
  look: Look;
  compare: (survived: unknown, calm: unknown) => void;
}

const asPalace = { look: (env: TestEnv) => contentOf(env.palace), compare: expectSameRows };
const asFiles = {
  compare: (survived: unknown, calm: unknown) => {
    expect(Object.keys(calm as object).length).toBeGreaterThan(0);
    expect(survived).toEqual(calm);
  },
};

const PHASES: Phase[] = [
  {
    of: 'staging',
    prepare: async (env) => ['mempalace-docs', [env.project('shop', documents(12)), '--stage-only']],
    look: stagedIn,
    ...asFiles,
  },
  {
    of: 'staging sessions',
    prepare: async () => ['mempalace-session', ['--db', SESSIONS, '--min-messages', '1', '--stage-only']],
    look: stagedIn,
    ...asFiles,
  },
  {
    of: 'filing documents',
    quick: true,
    prepare: async (env) => ['mempalace-docs', [env.project('shop', documents(12))]],
    ...asPalace,
  },
  {
    of: 'filing sessions',
    prepare: async () => ['mempalace-session', ['--db', SESSIONS, '--min-messages', '1']],
    ...asPalace,
  },
  {
    of: 'repair',
    prepare: async (env) => {
      await env.json('mempalace-docs', [env.project('shop', documents(40))]);
      const raw = new Database(palaceFile(env.palace));
      raw.exec('DELETE FROM codes; DELETE FROM embeddings WHERE vector_id IN (3, 5, 8)');
      raw.close();
      return ['mempalace', ['repair', '--yes']];
    },
    ...asPalace,
  },
  {
    of: 'reembed',
    prepare: async (env) => {
      await env.json('mempalace', ['model', 'pull', E5, '--from', writeStick(join(env.home, 'stick'))]);
      madeUpPalace(env.palace, 300);
      return ['mempalace', ['reembed', '--model', E5]];
    },
    ...asPalace,
  },
  {
    of: 'backup',
    prepare: async (env) => {
      bulkPalace(env.palace, 'old', 40, 20);
      return ['mempalace', ['backup', join(env.home, 'copies/copy.sqlite3'), '--force']];
    },
    look: (env) => {
      const folder = join(env.home, 'copies');
      cpSync(join(folder, 'copy.sqlite3'), join(env.home, 'look/palace.sqlite3'));
      expect(readdirSync(folder)).toEqual(['copy.sqlite3']);
      return contentOf(join(env.home, 'look'));
    },
    compare: expectSameRows,
  },
  {
    of: 'restore',
    prepare: async (env) => {
      bulkPalace(env.palace, 'old', 60, 20);
      const file = join(env.home, 'copy.sqlite3');
      await env.json('mempalace', ['backup', file]);
      rmSync(env.palace, { recursive: true });
      bulkPalace(env.palace, 'new', 30, 20);
      return ['mempalace', ['restore', file, '--yes']];
    },
    ...asPalace,
  },
  {
    of: 'forget',
    prepare: async (env) => {
      bulkPalace(env.palace, 'old', 40, 20);
      return ['mempalace', ['forget', '--source', 'doc:p/old3.md', '--yes']];
    },
    ...asPalace,
  },
  {
    of: 'export as lines',
    prepare: async (env) => {
      bulkPalace(env.palace, 'old', 40, 20);
      return ['mempalace', ['export', '--jsonl', '--to', join(env.home, 'copies/all.jsonl')]];
    },
    look: (env) => {
      const folder = join(env.home, 'copies');
      expect(readdirSync(folder)).toEqual(['all.jsonl']);
      return { bytes: statSync(join(folder, 'all.jsonl')).size };
    },
    ...asFiles,
  },
  {
    of: 'export as Markdown',
    prepare: async (env) => {
      await env.json('mempalace-docs', [env.project('shop', documents(6))]);
      return ['mempalace', ['export', '--to', join(env.home, 'copies/tree')]];
    },
    look: (env) => {
      const names = readdirSync(join(env.home, 'copies/tree'), { recursive: true, encoding: 'utf8' });
      return Object.fromEntries(
        names.map((name) => [name, largestFile(join(env.home, 'copies/tree', dirname(name)))]),
      );
    },
    ...asFiles,
  },
  ...earlierPalaces().map(
    ({ version, layInto }): Phase => ({
      of: `migration from version ${version}`,
      prepare: async (env) => {
        layInto(env.palace);
        return ['mempalace', ['status']];
      },
      ...asPalace,
    }),
  ),
];

async function prepared(phase: Phase, env = new TestEnv(), kept = temporaryFolder()) {
  mkdirSync(join(env.home, 'copies'));
  mkdirSync(join(env.home, 'look'));
  const command = await phase.prepare(env);
  const reset = keepHome(env, WRITTEN, kept);
  await env.json(...command);
  const calm = phase.look(env);
  return { env, command, reset, calm };
}

/** Damage that is allowed, because repair fixes it. */
const soundBefore = (phase: Phase, env: TestEnv) => (phase.of === 'repair' ? [] : problemsOf(env.palace));

describe.skipIf(process.platform === 'win32')('a file size limit', () => {
  it.each(PHASES.filter(({ quick }) => thorough || quick === true))(
    'while $of: a clear error, nothing lost, and the next run completes',
    async (phase) => {
      const { env, command, reset, calm } = await prepared(phase);
      const largest = Math.ceil(largestFile(env.home) / 1024);
      const next = random(phase.of.length);
      const rounds = times(3, 12);
      const failures: string[] = [];
      for (let round = 0; round < rounds; round += 1) {
        reset();
        const limit = Math.max(1, Math.floor((largest * (round + next())) / rounds));
        const outcome = await withFileLimit(env, command, limit);
        if (outcome.exitCode !== 0) {
          expectClear(outcome);
          failures.push(outcome.stderr.split('\n')[0] ?? '');
        }
        expect([limit, soundBefore(phase, env)]).toEqual([limit, []]);
        await env.json(...command);
        phase.compare(phase.look(env), calm);
      }
      expect(failures.length).toBeGreaterThan(0);
    },
  );
});

const AMPLE = 400_000;
let mounted: string | undefined;
afterEach(() => {
  if (mounted !== undefined) unmount(mounted);
  mounted = undefined;
});

describe.skipIf(!canMount)('a disk that is full (skipped where none can be mounted)', () => {
  it.each(PHASES.filter(({ quick }) => thorough || quick === true))(
    'while $of: a clear error, nothing lost, and the next run completes',
    async (phase) => {
      const disk = temporaryFolder();
      expect(mountSmall(disk, AMPLE)).toBe(true);
      mounted = disk;
      const { env, command, reset, calm } = await prepared(phase, new TestEnv(disk));
      const needed = usedKilobytes(disk);
      reset();
      const before = usedKilobytes(disk);
      const next = random(phase.of.length + 1);
      const rounds = times(2, 8);
      // SQLite needs more space temporarily than at the end.
      const passing = phase.of.startsWith('staging') ? 30 : 600;
      let failures = 0;
      for (let round = 0; round < rounds; round += 1) {
        reset();
        const more = 8 + Math.max(needed - before, passing) * ((round + next()) / rounds);
        resize(disk, Math.ceil(usedKilobytes(disk) + more));
        const outcome = await env.spawn(...command);
        if (outcome.exitCode !== 0) {
          expectClear(outcome);
          failures += 1;
        }
        expectNoBug(outcome.stderr);
        resize(disk, AMPLE);
        expect(soundBefore(phase, env)).toEqual([]);
        await env.json(...command);
        phase.compare(phase.look(env), calm);
      }
      expect(failures).toBeGreaterThan(0);
    },
  );
});

function usedKilobytes(folder: string): number {
  const { blocks, bfree, bsize } = statfsSync(folder);
  return ((blocks - bfree) * bsize) / 1024;
}

describe.skipIf(process.platform !== 'linux')('a full stdout (/dev/full)', () => {
  it.each([
    ['export', '--jsonl'],
    ['list', 'sources'],
    ['search', 'words'],
  ])('of mempalace %s is not a bug', async (...args) => {
    const env = new TestEnv();
    await env.json('mempalace-docs', [env.project('shop', documents(12))]);
    const { exitCode, stderr, signal } = await execa(
      'bash',
      ['-c', 'exec "$0" "$@" > /dev/full', process.execPath, ...env.argv('mempalace'), ...args],
      { env: env.env, extendEnv: false, reject: false, stdin: 'ignore' },
    );
    expect([exitCode, signal], stderr).toEqual([1, undefined]);
    expectClear({ stdout: '', stderr, exitCode });
    expect(stderr).toContain('the output cannot be written: ENOSPC');
  });
});
