import { spawnSync } from 'node:child_process';
import { fstatSync, mkdirSync, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect } from 'vitest';
import { takeLock } from '../../src/platform/lock.js';
import { Palace } from '../../src/store/index.js';
import { contentOf } from '../support/drawers.js';
import { it } from '../support/it-env.js';
import { exchange, OpencodeDatabase } from '../support/opencode-database.js';
import { problemsIn } from '../support/soundness.js';
import { writeTalk } from '../support/talks.js';
import { TestEnv } from '../support/test-env.js';

const DOCUMENT = (name: string) =>
  `# ${name}\n\n${Array.from({ length: 12 }, (_, index) => `## Part ${index}\n\nWhat ${name} says of ${'point '.repeat(20)}${index}.\n`).join('\n')}`;

function history(env: TestEnv): OpencodeDatabase {
  mkdirSync(join(env.home, '.local/share/opencode'), { recursive: true });
  return new OpencodeDatabase(join(env.home, '.local/share/opencode/opencode.db'));
}

/** Runs until the exit code is 0; each earlier run must file a source, exit with 3 and name the rest. */
async function untilDone(env: TestEnv, program: string, args: string[]): Promise<number[]> {
  const left: number[] = [];
  for (let runs = 0; runs < 30; runs += 1) {
    const outcome = await env.run(program, [...args, '--max-duration', '1ms', '--json']);
    const summary = JSON.parse(outcome.stdout);
    left.push(summary.left);
    if (outcome.exitCode === 0) return left;
    expect(outcome.exitCode, outcome.stderr).toBe(3);
    expect(summary.new).toBeGreaterThan(0);
    // Of the last agent that was begun nothing may be left; then another one was not begun.
    const [origin, detail] =
      summary.left > 0 ? ['--max-duration', 'left for the next run'] : ['Claude Code', 'not begun'];
    expect(summary.problems).toContainEqual({
      origin,
      reason: 'time is up',
      detail: expect.stringContaining(detail),
    });
  }
  throw new Error(`not done after 30 runs: ${left}`);
}

function contents(folder: string): unknown {
  const palace = Palace.read(folder);
  try {
    expect(problemsIn(palace)).toEqual([]);
  } finally {
    palace.close();
  }
  return contentOf(folder);
}

describe('--max-duration', () => {
  it('lets short runs reach the result of one long run (documents)', async () => {
    // With other numbers the last texts are embedded in batches of another size, and vectors differ in their last bits.
    const files = Object.fromEntries(
      Array.from({ length: 7 }, (_, index) => [`docs/d${index}.md`, DOCUMENT(`Document ${index}`)]),
    );
    const env = new TestEnv();
    const shop = env.project('shop', files);
    const left = await untilDone(env, 'mempalace-docs', [shop]);
    expect(left.length).toBeGreaterThan(3);
    expect(left.at(-1)).toBe(0);
    const whole = join(env.home, 'another palace');
    await env.json('mempalace-docs', [shop, '--palace', whole]);
    expect(contents(env.palace)).toEqual(contents(whole));
  });

  it.each<[string, string[], number?]>([
    ['mempalace-session', ['--from', 'opencode']],
    ['mempalace-session', ['--min-messages', '0'], 8],
    ['mempalace-session', ['--from', 'claude-code', '--min-messages', '0']],
    ['mempalace', ['mine', '.claude/projects', '--mode', 'convos']],
    ['mempalace', ['mine', 'shop']],
    ['mempalace', ['mine', 'CACHE']],
  ])('lets each run of %s %j file a source', async (program, args, sources = 4) => {
    const env = new TestEnv();
    const sessions = history(env);
    for (const name of ['A', 'B', 'C', 'D']) {
      sessions.addSession({
        messages: [...exchange(`First ${name}?`, 'Yes.'), ...exchange('Second?', 'No.')],
      });
      writeTalk(env, name, `How is ${name} rounded?`, `${name} is rounded down.`);
      env.project('shop', { [`${name}.md`]: DOCUMENT(name) });
    }
    sessions.close();
    const isStaged = args.includes('CACHE');
    if (isStaged) await env.json('mempalace-docs', [join(env.home, 'shop'), '--stage-only']);
    const inHome = args.map((arg) =>
      arg === 'CACHE' ? env.cache : /^(?:shop|\.)/.test(arg) ? join(env.home, arg) : arg,
    );
    const left = await untilDone(env, program, inHome);
    expect(left.length).toBeGreaterThan(2);
    expect((await env.json('mempalace', ['list', 'sources'])).total).toBe(sources);
  });

  it('removes nothing too early', async ({ env }) => {
    const shop = env.project('shop', { 'a.md': DOCUMENT('A'), 'b.md': DOCUMENT('B') });
    await env.json('mempalace-docs', [shop]);
    rmSync(join(shop, 'a.md'));
    env.project('shop', { 'c.md': DOCUMENT('C'), 'd.md': DOCUMENT('D') });
    const first = JSON.parse(
      (await env.run('mempalace-docs', [shop, '--max-duration', '1ms', '--json'])).stdout,
    );
    expect([first.removed, first.left > 0]).toEqual([0, true]);
    await untilDone(env, 'mempalace-docs', [shop]);
    expect((await env.json('mempalace', ['list', 'sources'])).total).toBe(3);
  });

  it('of an incomplete run is not a start for --since', async ({ env }) => {
    const sessions = history(env);
    for (let index = 0; index < 3; index += 1) {
      sessions.addSession({
        messages: [...exchange(`First ${index}?`, 'Yes.'), ...exchange('Second?', 'No.')],
      });
    }
    sessions.close();
    const left = await untilDone(env, 'mempalace-session', ['--since']);
    expect(left.length).toBeGreaterThan(2);
    const status = await env.json('mempalace', ['list', 'sources']);
    expect(status.total).toBe(3);
  });

  it('is refused where a run could never end, or where it has no meaning', async ({ env }) => {
    const shop = env.project('shop', { 'a.md': 'A' });
    for (const flags of [['--force'], ['--stage-only']]) {
      expect((await env.run('mempalace-docs', [shop, '--max-duration', '1h', ...flags])).exitCode).toBe(2);
    }
    expect((await env.run('mempalace-docs', [shop, '--max-duration', '0'])).exitCode).toBe(2);
    expect((await env.run('mempalace-docs', [shop, '--max-duration', '1h', '--dry-run'])).exitCode).toBe(0);
  });
});

describe('mempalace-docs --all', () => {
  function listed(env: TestEnv, text: string): string {
    const list = join(env.home, '.config/mempalace/projects');
    mkdirSync(join(list, '..'), { recursive: true });
    writeFileSync(list, text);
    return list;
  }

  it('files every listed project in its own run, and names missing folders', async ({ env }) => {
    env.project('shop', { 'a.md': DOCUMENT('A') });
    env.project('my notes', { 'b.md': DOCUMENT('B') });
    const list = listed(env, `# mine\n\n~/shop\n${env.home}/my notes/\r\nshop\n~/gone\n~/shop/\n`);
    const outcome = await env.run('mempalace-docs', ['--all', '--quiet']);
    expect(outcome).toEqual({
      exitCode: 3,
      stdout: '',
      stderr: `warning: ${list}:5: not a path that starts with / or ~/: shop\nwarning: ${env.home}/gone: the folder does not exist: ${list}:6`,
    });
    const { runs } = await env.json('mempalace', ['list', 'runs']);
    expect(runs).toHaveLength(2);
    const all = await env.json('mempalace-docs', ['--all'], 3);
    expect(all).toMatchObject({ exit_code: 3, new: 0, unchanged: 2 });
    expect(all.projects).toMatchObject([
      { project: `${env.home}/shop` },
      { project: `${env.home}/my notes`, exit_code: 0 },
    ]);
  });

  it('continues after a project that fails, and exits with the worst code', async ({ env }) => {
    env.project('broken', { 'a.md': 'A', 'mempalace.yaml': 'wing: [' });
    env.project('shop', { 'a.md': DOCUMENT('A') });
    listed(env, '~/broken\n~/gone\n~/shop\n');
    const all = await env.json('mempalace-docs', ['--all'], 2);
    expect(all.projects).toMatchObject([
      { exit_code: 2, result: null, error: { code: 'config' } },
      { exit_code: 0, result: { new: 1 }, error: null },
    ]);
  });

  it('waits for a lock only once', async ({ env }) => {
    for (const name of ['one', 'two']) env.project(name, { 'a.md': 'A' });
    listed(env, '~/one\n~/two\n');
    const lock = await takeLock(join(env.palace, 'run.lock'), 'another', 0);
    try {
      const all = await env.json('mempalace-docs', ['--all', '--wait', '0'], 11);
      expect(all.projects).toMatchObject([{ project: join(env.home, 'one'), exit_code: 11 }]);
      expect(all.problems).toMatchObject([{ origin: join(env.home, 'two') }]);
    } finally {
      lock.release();
    }
  });

  it('reaches all projects in short runs, even after an unchanged one', async ({ env }) => {
    for (const name of ['one', 'two', 'three']) env.project(name, { 'a.md': DOCUMENT(name) });
    listed(env, '~/one\n~/two\n~/three\n');
    let exit = 3;
    for (let runs = 0; exit === 3 && runs < 10; runs += 1) {
      exit = (await env.run('mempalace-docs', ['--all', '--max-duration', '1ms'])).exitCode ?? 1;
    }
    expect(exit).toBe(0);
    expect((await env.json('mempalace', ['list', 'sources'])).total).toBe(3);
  });

  it('says what to do without a list, and refuses options for a single project', async ({ env }) => {
    const none = await env.run('mempalace-docs', ['--all']);
    expect([none.exitCode, none.stderr]).toEqual([1, expect.stringContaining('mempalace projects add')]);
    listed(env, '# nothing yet\n');
    expect(await env.run('mempalace-docs', ['--all'])).toMatchObject({
      exitCode: 0,
      stderr: expect.stringMatching(/lists no project.*schedule remove/),
    });
    for (const wrong of [[], ['--all', env.home], ['--all', '--wing', 'w']]) {
      expect((await env.run('mempalace-docs', wrong)).exitCode).toBe(2);
    }
  });

  it('previews with --dry-run', async ({ env }) => {
    env.project('shop', { 'a.md': DOCUMENT('A') });
    listed(env, '~/shop\n');
    const before = env.fingerprint();
    expect((await env.run('mempalace-docs', ['--all', '--dry-run'])).stdout).toContain('would file: 1 new');
    expect(env.fingerprint()).toBe(before);
  });
});

describe('mempalace projects', () => {
  it('adds, lists and removes, and preserves comments', async ({ env }) => {
    const shop = env.project('shop', {});
    const list = join(env.home, '.config/mempalace/projects');
    expect((await env.run('mempalace', ['projects'])).stderr).toContain('mempalace projects add <dir>');
    expect(await env.json('mempalace', ['projects', 'add', shop])).toMatchObject({ changed: true });
    expect(await env.json('mempalace', ['projects', 'add', `${shop}/`])).toMatchObject({ changed: false });
    writeFileSync(list, `${readFileSync(list, 'utf8')}# later\n~/elsewhere`);
    expect((await env.run('mempalace', ['projects'])).stdout).toBe(
      `${shop}\n${env.home}/elsewhere  (does not exist)`,
    );
    expect(await env.json('mempalace', ['projects', 'remove', join(env.home, 'elsewhere')])).toMatchObject({
      changed: true,
    });
    await env.json('mempalace', ['projects', 'remove', shop]);
    expect(readFileSync(list, 'utf8').split('\n').slice(1)).toEqual(['# later']);
    expect((await env.run('mempalace', ['projects', 'add', join(env.home, 'nowhere')])).exitCode).toBe(1);
  });
});

describe('an unattended run', () => {
  it('has a log without titles, contents, questions and secrets', async ({ env }) => {
    const sessions = history(env);
    sessions.addSession({ title: 'Secret plans', messages: exchange('Hello', 'Hello!') });
    sessions.addSession({
      title: 'Great ideas',
      messages: [...exchange('One?', 'Two.'), ...exchange('Three?', 'Four.')],
    });
    sessions.close();
    const log = join(env.home, 'logs/run.log');
    env.env.MEMPALACE_LOG_FILE = log;
    expect(await env.run('mempalace-session', ['--since', '--quiet'])).toEqual({
      exitCode: 0,
      stdout: '',
      stderr: '',
    });
    await env.run('mempalace', ['search', 'three plans']);
    await env.run('mempalace', ['show', 'Great plans']);
    const text = readFileSync(log, 'utf8');
    expect(text).toMatch(/ info mempalace-session\[\d+\]: mempalace-session: 1 new, 0 changed, /);
    expect(text).toMatch(/ info mempalace-session\[\d+\]: exit 0, \d+ ms$/m);
    expect(text).toMatch(/ error mempalace show\[\d+\]: not-found: /);
    expect(text).not.toMatch(/Secret|Great|plans|three|Two/);
    expect((await env.run('mempalace', ['search', 'three plans', '--limit=Secret'])).exitCode).toBe(2);
    const unknown = await env.run('mempalace', ['three "plans"', '--debug']);
    expect([unknown.exitCode, unknown.stderr]).toEqual([2, expect.stringMatching(/\n {4}at runProgram /)]);
    const unparsed = readFileSync(log, 'utf8').slice(text.length);
    expect(unparsed).toMatch(/ error mempalace search\[\d+\]: usage: --limit takes a whole number/);
    expect(unparsed).toMatch(/ error mempalace\[\d+\]: usage: unknown command /);
    expect(unparsed).not.toMatch(/Secret|plans|three/);
    const given = join(env.home, 'logs/given.log');
    expect((await env.run('mempalace-docs', ['--wait', 'soon', '--all', '--log-file', given])).exitCode).toBe(
      2,
    );
    expect(readFileSync(given, 'utf8')).toMatch(
      / error mempalace-docs\[\d+\]: usage: --wait takes a duration/,
    );
    expect((await env.run('mempalace', ['status', '--log-level', 'loud'])).exitCode).toBe(2);
    const broken = await env.run('mempalace-session', ['--since', '--quiet', '--log-file', env.home]);
    expect([broken.exitCode, broken.stderr]).toEqual([
      0,
      expect.stringMatching(/^warning: the log .* cannot be written: EISDIR/),
    ]);
  });

  it('prints one line to the journal, and nothing to other kinds of stderr', ({ env }) => {
    const shop = env.project('shop', { 'a.md': DOCUMENT('A') });
    const run = (args: string[], stream: (file: number) => string) => {
      const path = join(env.home, 'journal');
      const stderr = openSync(path, 'w');
      const { status } = spawnSync(process.execPath, [...env.argv('mempalace-docs'), ...args, '--quiet'], {
        env: { ...env.env, JOURNAL_STREAM: stream(stderr) },
        stdio: ['ignore', 'inherit', stderr],
      });
      return [status, readFileSync(path, 'utf8')];
    };
    const itself = (file: number) => {
      const { dev, ino } = fstatSync(file, { bigint: true });
      return `${dev}:${ino}`;
    };
    expect(run([shop], itself)).toEqual([
      0,
      expect.stringMatching(
        /^<6>mempalace-docs: 1 new, 0 changed, 0 unchanged, 0 removed; \d+ drawers? filed, [^\n]*\n$/,
      ),
    ]);
    expect(run([shop], () => '1:1')).toEqual([0, '']);
    expect(run([join(env.home, 'gone')], itself)).toEqual([
      1,
      expect.stringMatching(/^<3>error: [^\n]*\n(?:<3> {2}hint: [^\n]*\n)?$/),
    ]);
    mkdirSync(join(env.home, '.config/mempalace'), { recursive: true });
    writeFileSync(join(env.home, '.config/mempalace/projects'), '~/shop\n~/gone\n');
    expect(run(['--all'], itself)).toEqual([
      3,
      expect.stringMatching(
        /^<4>warning: .*gone: the folder does not exist: .*\n<6>mempalace-docs --all: 1 project: 0 new, .*\n$/,
      ),
    ]);
  });
});
