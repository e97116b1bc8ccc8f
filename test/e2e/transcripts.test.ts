import { existsSync, readFileSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect } from 'vitest';
import { Palace } from '../../src/store/index.js';
import { assistant, call, forked, lines, result, talk, user } from '../support/claude-code.js';
import { it } from '../support/it-env.js';
import { TestEnv } from '../support/test-env.js';
import { traces } from '../support/traces.js';

const PLACE = '.claude/projects/-code-shop';
const FROM = ['--from', 'claude-code'];

const ORIGINAL = talk({ id: 'original' }, [
  'Which port?',
  'The zebra gateway takes 8443.',
  'Why?',
  'History.',
]);
const fork = (id: string, ...more: string[]) => [...forked(ORIGINAL, id), ...talk({ id, at: '12:00' }, more)];

class Shop {
  readonly env = new TestEnv();

  write(name: string, records: readonly Record<string, unknown>[]): string {
    this.env.project(PLACE, { [`${name}.jsonl`]: lines(records) });
    return join(this.env.home, PLACE, `${name}.jsonl`);
  }

  file(...args: string[]) {
    return this.env.json('mempalace-session', [...FROM, ...args]);
  }

  /** The whole texts of all sources, by session. */
  get texts(): Record<string, string> {
    const palace = Palace.read(this.env.palace);
    try {
      const sources = [...palace.sources.ofKind('conversation').values()];
      return Object.fromEntries(
        sources.map(({ id, sourceKey }) => [
          sourceKey.replace('claude-code:', ''),
          palace.sources.textOf(id),
        ]),
      );
    } finally {
      palace.close();
    }
  }

  /** The number of places of a text in the palace. */
  count(text: string): number {
    return Object.values(this.texts).join('\n').split(text).length - 1;
  }
}

describe('history that a fork copied', () => {
  it('stays with the original, in later runs too, and is removed with it', async () => {
    const shop = new Shop();
    shop.write('original', ORIGINAL);
    expect(await shop.file()).toMatchObject({ new: 1 });
    shop.write('fork', fork('fork', 'And by night?', 'The lion gateway.'));
    expect(await shop.file()).toMatchObject({ new: 1, unchanged: 1 });
    expect(shop.texts.fork).toBe('User:\nAnd by night?\n\nAssistant:\nThe lion gateway.\n\n');
    const grown = fork('fork', 'And by night?', 'The lion gateway.', 'Thanks.', 'Welcome.');
    const path = shop.write('fork', grown);
    shop.env.edit(path, lines(grown));
    expect(await shop.file()).toMatchObject({ changed: 1, unchanged: 1 });
    expect(shop.count('zebra')).toBe(1);
    // The copied part is only in the palace when the original's file and the cache are gone.
    rmSync(join(shop.env.home, PLACE, 'original.jsonl'));
    rmSync(shop.env.cache, { recursive: true });
    expect(await shop.file()).toMatchObject({ changed: 0, unchanged: 1, drawers_added: 0 });
    expect(shop.count('zebra')).toBe(1);
    await shop.env.json('mempalace', ['forget', '--session', 'original', '--yes']);
    expect(shop.count('zebra')).toBe(0);
    shop.env.edit(path, lines([...grown, ...talk({ id: 'fork', at: '13:00' }, ['Once more.'])]));
    expect(await shop.file()).toMatchObject({ changed: 1 });
    expect(shop.count('zebra')).toBe(0);
    expect(shop.count('Once more.')).toBe(1);
  });

  it('moves to the original that is filed later; a forgotten original excludes it from new forks', async () => {
    const shop = new Shop();
    shop.write('fork', fork('fork', 'And by night?', 'The lion gateway.'));
    await shop.file();
    expect(shop.texts.fork).toContain('zebra');
    shop.write('original', ORIGINAL);
    expect(await shop.file()).toMatchObject({ new: 1, changed: 1 });
    expect(shop.texts.fork).not.toContain('zebra');
    expect(shop.texts.original).toContain('zebra');
    await shop.env.json('mempalace', ['forget', '--session', 'original', '--yes']);
    shop.write('second', fork('second', 'Which animal?', 'A lion.'));
    expect(await shop.file()).toMatchObject({ new: 1, skipped_by_reason: { forgotten: 1 } });
    expect(shop.count('zebra')).toBe(0);
    expect(shop.texts.second).toContain('A lion.');
  });

  it('is recognised by the original that each record names, if the ids are new', async () => {
    const shop = new Shop();
    const branch = forked(ORIGINAL, 'branch').map((record) => ({ ...record, uuid: `new-${record.uuid}` }));
    shop.write('branch', [...branch, ...talk({ id: 'branch', at: '12:00' }, ['And now?', 'Now the lion.'])]);
    shop.write('original', ORIGINAL);
    expect(await shop.file()).toMatchObject({ new: 2 });
    expect(shop.texts.branch).toBe('User:\nAnd now?\n\nAssistant:\nNow the lion.\n\n');
  });

  it('is not assumed in sessions of a program that numbers its records', async () => {
    const shop = new Shop();
    const counted = (id: string, ...said: string[]) =>
      talk({ id }, said).map((record, index) => ({ ...record, uuid: `u${index}` }));
    shop.write('one', counted('one', 'Which port?', '8443.', 'Thanks.'));
    shop.write('two', counted('two', 'Which host?', 'The zebra.', 'Thanks.'));
    expect(await shop.file()).toMatchObject({ new: 2 });
    expect(shop.texts.two).toContain('The zebra.');
  });

  it('is not a session without messages of its own', async () => {
    const shop = new Shop();
    shop.write('original', ORIGINAL);
    shop.write('fork', fork('fork'));
    expect(await shop.file()).toMatchObject({
      new: 1,
      skipped_by_reason: { 'copy with nothing of its own': 1 },
    });
    expect(await shop.file()).toMatchObject({ new: 0, unchanged: 1 });
  });

  it('of a session resumed by a release before 2.0 is recognised by its text; the same question elsewhere is not', async () => {
    const shop = new Shop();
    const old = { version: '1.0.60', cwd: '/code/shop' };
    const said = [
      user('Which port?'),
      { ...assistant('The zebra gateway takes 8443.') },
      user('Why?'),
      { ...assistant('History.') },
    ].map((record, index) => ({
      ...record,
      message: { ...(record.message as object), ...(index % 2 === 1 ? { id: `msg_${index}` } : {}) },
    }));
    const first = talk({ id: 'first', ...old }, said);
    const copied = talk({ id: 'resumed', at: '11:00', ...old }, said).map((record) => ({
      ...record,
      timestamp: '2026-03-04T11:00:00.000Z',
    }));
    const more = talk({ id: 'resumed', at: '11:05', ...old }, ['Which port?', 'I said so.']).map(
      (record) => ({ ...record, uuid: `more-${String(record.uuid)}` }),
    );
    shop.write('first', first);
    expect(await shop.file()).toMatchObject({ new: 1 });
    shop.write('resumed', [...copied, ...more]);
    shop.write(
      'other',
      talk({ id: 'other', at: '12:00', ...old }, ['Which port?', 'Of which host?', 'Mine.']),
    );
    expect(await shop.file()).toMatchObject({ new: 2 });
    expect(shop.texts.resumed).toBe('User:\nWhich port?\n\nAssistant:\nI said so.\n\n');
    expect(shop.texts.other).toContain('Which port?');
  });
});

describe('sub-agents', () => {
  const parent = (id: string) =>
    talk({ id }, [
      user('Find the cause.'),
      assistant('I ask.', call('t1', 'Agent', { prompt: 'Look into it.' })),
      result('t1', 'Async agent launched.'),
      user(
        '<task-notification>\n<task-id>a1</task-id>\n<summary>Agent "Look" finished</summary>\n<result>The cookie is stale.</result>\n</task-notification>',
      ),
      assistant('It was the cookie.'),
    ]);
  const agent = (id: string) =>
    talk({ id, uuids: `${id}/a1` }, [user('Look into it.'), assistant('The cookie is stale.')]).map(
      (record) => ({ ...record, agentId: 'a1', isSidechain: true }),
    );

  it('belong to their session, even if short; an answer from the background is filed once', async () => {
    const shop = new Shop();
    shop.write('one', parent('one'));
    shop.write('one/subagents/agent-a1', agent('one'));
    shop.env.project(PLACE, { 'one/subagents/agent-a1.meta.json': '{"description":"Look for the cause"}' });
    shop.write('two', parent('two'));
    shop.write('short', talk({ id: 'short' }, ['Hi.']));
    shop.write('short/subagents/agent-a1', agent('short'));
    expect(await shop.file()).toMatchObject({ new: 3, skipped_by_reason: { 'fewer than 3 messages': 2 } });
    const { texts } = shop;
    expect(Object.keys(texts).sort()).toEqual(['one', 'one/a1', 'two']);
    expect(texts.one).not.toContain('The cookie is stale.');
    expect(texts['one/a1']).toContain('The cookie is stale.');
    // Without the sub-agent's own transcript, the session keeps its answer.
    expect(texts.two).toContain('[Agent "Look" finished]\nThe cookie is stale.');
    expect(await shop.env.json('mempalace', ['show', 'one'])).toMatchObject({
      source: { title: 'Find the cause.' },
    });
    const { text } = (await shop.env.json('mempalace', ['wake-up', '--everywhere'])) as { text: string };
    expect(text).toContain('asked: Find the cause.');
    expect(text).toContain('a sub-agent, asked: Look into it.');
  });

  it('of a session named by hooks are filed with it', async () => {
    const shop = new Shop();
    const transcript = shop.write('one', parent('one'));
    shop.write('one/subagents/agent-a1', agent('one'));
    const hook = shop.env.start(
      'mempalace',
      ['hook', 'run', '--hook', 'stop', '--harness', 'claude-code'],
      'pipe',
    );
    hook.stdin?.end(JSON.stringify({ session_id: 'one', transcript_path: transcript }));
    await hook;
    await expect
      .poll(
        () => (existsSync(join(shop.env.palace, 'palace.sqlite3')) ? Object.keys(shop.texts).sort() : []),
        { timeout: 50_000 },
      )
      .toEqual(['one', 'one/a1']);
    expect(await shop.file()).toMatchObject({ new: 0, unchanged: 2 });
  }, 60_000);
});

describe('a run over transcripts', () => {
  it('does not open unchanged files', async () => {
    const shop = new Shop();
    const path = shop.write('original', ORIGINAL);
    utimesSync(path, 1_700_000_000, 1_700_000_000);
    await shop.file();
    const { size, atime, mtime } = statSync(path);
    writeFileSync(path, 'x'.repeat(size));
    utimesSync(path, atime, mtime);
    expect(await shop.file()).toMatchObject({ unchanged: 1, skipped: 0, problems: [] });
  });

  it('says how to include short sessions, and counts a message that only calls a tool', async () => {
    const shop = new Shop();
    shop.write('short', talk({ id: 'short' }, ['Hi.', 'Hello.']));
    shop.write(
      'worked',
      talk({ id: 'worked' }, [
        user('Is it there?'),
        assistant(call('t1', 'Bash', { command: 'ls' })),
        result('t1', 'yes'),
        assistant('Yes.'),
      ]),
    );
    const { stdout } = await shop.env.run('mempalace-session', FROM);
    expect(stdout).toContain(
      '1 session had fewer messages than --min-messages; --min-messages 1 includes them',
    );
    expect(Object.keys(shop.texts)).toEqual(['worked']);
  });

  it('stages without filing, into another wing on request, and --dry-run changes nothing', async () => {
    const shop = new Shop();
    shop.write('original', ORIGINAL);
    const before = shop.env.fingerprint();
    const planned = { title: 'Which port?', date: '2026-03-04', messages: 4, status: 'new' };
    expect(await shop.file('--dry-run')).toMatchObject({ new: 1, sources: [planned] });
    expect(shop.env.fingerprint()).toBe(before);
    const { files } = (await shop.file('--stage-only', '--wing', 'wing_shop')) as { files: string[] };
    expect(files).toEqual(['mempalace-session/wing_shop/claude-code/which-port_original.jsonl']);
    const staged = join(shop.env.cache, files[0] ?? '');
    expect(statSync(staged).mtimeMs).toBeCloseTo(
      statSync(join(shop.env.home, PLACE, 'original.jsonl')).mtimeMs,
      -1,
    );
    expect(JSON.parse(readFileSync(staged, 'utf8').split('\n')[0] ?? '')).toMatchObject({
      harness: 'claude-code',
      sessionId: 'original',
      title: 'Which port?',
    });
    expect(
      await shop.env.json('mempalace', ['mine', join(shop.env.cache, 'mempalace-session')]),
    ).toMatchObject({ new: 1 });
    expect(await shop.file()).toMatchObject({ new: 0, unchanged: 1, moved: 0 });
    expect(await shop.file('--wing', 'wing_other')).toMatchObject({ unchanged: 1, moved: 1 });
    expect(existsSync(staged)).toBe(false);
  });

  it('names unreadable files, and exits with 3 if it understood nothing', async ({ env }) => {
    const folder = env.project('exports', { 'a.jsonl': '{"rows":1}\n', 'b.jsonl': 'x\n' });
    const outcome = await env.run('mempalace', ['mine', folder, '--mode', 'convos']);
    expect(outcome.exitCode).toBe(3);
    expect(outcome.stderr).toMatch(/a\.jsonl: not a transcript\n.*b\.jsonl: not a transcript/);
    const empty = await env.run('mempalace', [
      'mine',
      env.project('none', { 'a.csv': 'x' }),
      '--mode',
      'convos',
    ]);
    expect(empty.exitCode).toBe(3);
    expect(empty.stderr).toContain('no transcripts');
    env.project('exports', { 'c.jsonl': lines(ORIGINAL) });
    expect(await env.json('mempalace', ['mine', folder, '--mode', 'convos'])).toMatchObject({
      new: 1,
      skipped_by_reason: { 'not a transcript': 2 },
      problems: [],
    });
  });

  it('recognises transcripts without an option, and documents next to transcripts', async ({ env }) => {
    expect(
      await env.json('mempalace', [
        'mine',
        env.project('talks', {
          'a.jsonl': lines(ORIGINAL),
          'a/tool-results/1.txt': 'x',
          'a/tool-results/2.txt': 'x',
        }),
      ]),
    ).toMatchObject({ command: 'mempalace mine', new: 1 });
    const project = env.project('shop', {
      'README.md': '# Shop\n',
      'log.jsonl': lines(ORIGINAL),
      '.git/HEAD': 'x',
    });
    expect(await env.json('mempalace', ['mine', project])).toMatchObject({ command: 'mempalace-docs' });
  });
});

describe('a secret', () => {
  const SECRET = 'Kd83hs92kLq0x7Vn4TzWb61P';

  it('that a sub-agent reveals is removed from its session, even if it is revealed later', async () => {
    const shop = new Shop();
    const parent = talk({ id: 'one' }, ['Deploy it.', `I use ${SECRET} for it.`, 'Thanks.', 'Welcome.']);
    const told = (text: string) =>
      talk({ id: 'one', uuids: 'one/a1' }, [user('Deploy.'), assistant(text)]).map((record) => ({
        ...record,
        agentId: 'a1',
      }));
    const path = shop.write('one', parent);
    const agent = shop.write('one/subagents/agent-a1', told('Done.'));
    utimesSync(path, 1_700_000_000, 1_700_000_000);
    await shop.file();
    expect(shop.texts.one).toContain(SECRET);
    shop.env.edit(agent, lines(told(`DEPLOY_PASSWORD=${SECRET}`)));
    // Only the sub-agent of the session has changed since.
    expect(await shop.file('--since', '2025-01-01')).toMatchObject({ changed: 2 });
    expect(JSON.stringify(shop.texts)).not.toContain(SECRET);
    expect(shop.texts.one).toContain('I use [REDACTED:');
    expect(traces(shop.env, SECRET)).toEqual([]);
  });
});

describe('the output of the palace in a transcript', () => {
  it('is one line with the ids of the drawers; the next search finds only the source', async () => {
    const shop = new Shop();
    shop.write('original', ORIGINAL);
    await shop.file();
    const { stdout: found } = await shop.env.run('mempalace', ['search', 'zebra gateway', '--json']);
    const { text: wake } = (await shop.env.json('mempalace', ['wake-up', '--everywhere'])) as {
      text: string;
    };
    const { stdout: shown } = await shop.env.run('mempalace', ['search', 'zebra gateway']);
    expect(found).toContain('zebra');
    expect(wake).toContain('Which port?');
    shop.write(
      'later',
      talk({ id: 'later', at: '12:00' }, [
        user(`<session-start-hook>\n${wake}</session-start-hook>\nWhat was the port?`),
        assistant(call('t1', 'mcp__mempalace__mempalace_search', { query: 'port' })),
        result('t1', [{ type: 'text', text: found }]),
        assistant(call('t2', 'Bash', { command: 'mempalace search "zebra gateway" | head' })),
        result('t2', shown),
        user(wake),
        assistant('It is 8443.'),
      ]),
    );
    expect(await shop.file()).toMatchObject({ new: 1 });
    const { later = '' } = shop.texts;
    expect(later).not.toContain('takes 8443');
    expect(later.match(/\[mempalace: \d drawers?: drawer_[0-9a-f, drwe_]+\]/g)).toHaveLength(3);
    expect(await shop.env.json('mempalace', ['show', 'later'])).toMatchObject({
      source: { title: 'What was the port?' },
    });
    expect(later).toContain('What was the port?');
    expect(later).toContain('It is 8443.');
    expect(shop.count('zebra gateway takes')).toBe(1);
  });
});
