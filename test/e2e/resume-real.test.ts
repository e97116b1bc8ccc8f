import { cpSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import glob from 'fast-glob';
import { describe, expect, it } from 'vitest';
import { estimateTokens } from '../../src/core/tokens.js';
import { hookedMachine, toldBy } from '../support/hook-starts.js';
import { isCompaction, type RawWork, rawOpencodeWork, rawWork } from '../support/raw-work.js';
import { SHARED, type TestEnv } from '../support/test-env.js';

const FIXTURES = join(SHARED, 'fixtures');
/** Where the programs write, relative to HOME. */
const PLACES: Record<string, string> = {
  'claude-code': '.claude/projects/-home-dev-shop',
  codex: '.codex/sessions/2026/11/22',
  pi: '.pi/agent/sessions/--home-dev-shop--',
};

/** The lines of a section of what was told, without their frame, on one line. */
function section(text: string, heading: string): string {
  const lines = text.split('\n');
  const at = lines.indexOf(`### ${heading}`);
  if (at === -1) return '';
  const rest = lines.slice(at + 1);
  const end = rest.findIndex((line) => !line.startsWith('│ '));
  return rest
    .slice(0, end === -1 ? undefined : end)
    .map((line) => line.slice(2))
    .join('\n');
}

/** What is told stays in 600 tokens, so a long text is a beginning. */
function expectBeginning(shown: string, whole: string): void {
  const plain = (text: string) => text.replace(/\s+/g, ' ').trim();
  if (plain(shown) === plain(whole)) return;
  expect(shown).toMatch(/ ?…$/);
  expect(plain(whole).startsWith(plain(shown.replace(/ ?…$/, '')))).toBe(true);
  expect(whole.length).toBeGreaterThan(600);
}

function expectTold(text: string, { ask, todos, changed, unchanged }: RawWork): void {
  const said = section(text, 'last request').replace(/^\[file: [^\n]*\]\n?/gm, '');
  expectBeginning(said, ask);
  expect(section(text, 'open tasks').split('\n').filter(Boolean)).toEqual(
    todos.map((todo) => `- [ ] ${todo}`),
  );
  const files = section(text, 'changed files').split('\n').filter(Boolean);
  const names = files.map((line) => /([^/ ]+) \(\w+\)$/.exec(line)?.[1] ?? line);
  expect(names.sort()).toEqual([...changed].sort());
  for (const file of unchanged) expect(names).not.toContain(file);
  const resumed = text.slice(
    text.indexOf('## session resume context'),
    text.search(/^## (?:diary|in this palace)/m),
  );
  expect(estimateTokens(resumed)).toBeLessThanOrEqual(600);
}

interface Case {
  name: string;
  told: () => Promise<string>;
  work: RawWork;
}

/** Each end of a transcript is a session of its own, so that none is left out as told already. */
function casesOf(env: TestEnv, harness: string, file: string): Case[] {
  const lines = readFileSync(join(FIXTURES, file), 'utf8').split('\n').filter(Boolean);
  const records = lines.map((line) => JSON.parse(line));
  const work = rawWork[harness];
  if (work === undefined || records.length === 0) return [];
  // A hook may run before or after the program has written the compaction.
  const cuts = records.flatMap((record, at) =>
    isCompaction[harness]?.(record) === true ? [at, at + 1] : [],
  );
  const { todos, changed } = work(records);
  if (cuts.length + todos.length + changed.length === 0) return [];
  return [...cuts, records.length].map((end) => {
    const path = join(env.home, PLACES[harness] ?? '', `${end}-${basename(file)}`);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(
      path,
      lines
        .slice(0, end)
        .map((line) => `${line}\n`)
        .join(''),
    );
    const source = cuts.includes(end) ? 'compact' : 'resume';
    const input = {
      session_id: basename(path, '.jsonl'),
      transcript_path: path,
      cwd: '/home/dev/shop',
      source,
    };
    const told = () => toldBy(env, harness, input);
    return { name: `${file}, ${end} of ${lines.length} records`, told, work: work(records.slice(0, end)) };
  });
}

function opencodeCases(env: TestEnv, name: string): Case[] {
  const folder = env.project('.local/share/opencode', {});
  const file = join(folder, 'opencode.db');
  for (const suffix of ['', '-wal', '-shm']) {
    const from = join(FIXTURES, 'opencode', name + suffix);
    if (existsSync(from)) cpSync(from, file + suffix);
  }
  const works = rawOpencodeWork(file).filter(
    ({ isCompacted, todos, changed }) => isCompacted || todos.length + changed.length > 0,
  );
  return works.map(({ id, isCompacted, ...work }) => {
    const source = isCompacted ? 'compact' : 'resume';
    const told = () => toldBy(env, 'opencode', { session_id: id, cwd: '/home/dev/shop', source });
    return { name: `${name} ${id}`, told, work };
  });
}

async function expectAllTold(cases: readonly Case[]): Promise<void> {
  expect(cases.length).toBeGreaterThan(0);
  const wrong: string[] = [];
  for (const { name, told, work } of cases) {
    const text = await told();
    try {
      expectTold(text, work);
    } catch (error) {
      wrong.push(`${name}: ${error}\n${text}`);
    }
  }
  expect(wrong.join('\n\n')).toBe('');
}

describe.skipIf(!existsSync(FIXTURES))('../shared: what sessions of real programs are told', () => {
  it.each(Object.keys(PLACES))(
    '%s',
    async (harness) => {
      const env = await hookedMachine();
      const files = glob
        .sync(`${harness}/**/*.jsonl`, { cwd: FIXTURES })
        .filter((file) => !/agent-/.test(file));
      await expectAllTold(files.flatMap((file) => casesOf(env, harness, file)));
    },
    300_000,
  );

  it.each(['opencode-1.2.27.db', 'opencode-1.18.33.db', 'wal/opencode.db'])(
    'opencode: %s',
    async (name) => {
      const env = await hookedMachine();
      await expectAllTold(opencodeCases(env, name));
    },
    300_000,
  );
});
