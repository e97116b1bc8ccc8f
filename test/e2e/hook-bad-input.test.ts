import { spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, rmSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { execa } from 'execa';
import { describe, expect, it } from 'vitest';
import { aside, enqueue, hooksFolder, waiting } from '../../src/hooks/queue.js';
import { turn } from '../support/talks.js';
import { TestEnv } from '../support/test-env.js';

/** A test fails where a program waits for a file; none of them needs as long. */
const MOST_MS = 60_000;

async function hook(env: TestEnv, name: string, input: string, harness = 'claude-code') {
  const argv = [...env.argv('mempalace'), 'hook', 'run', '--hook', name, '--harness', harness];
  const options = { env: env.env, extendEnv: false, reject: false, timeout: MOST_MS, input } as const;
  const { stdout, stderr, exitCode } = await execa(process.execPath, argv, options);
  return { stdout, stderr, exitCode };
}

const FINE = { stdout: '{}', stderr: '', exitCode: 0 };
const logOf = (env: TestEnv) => readFileSync(join(hooksFolder(env.palace), 'hooks.log'), 'utf8');

/** A session in the queue that can be filed. Hooks of the test start no run: it has the ticket. */
function withGoodSession(env: TestEnv): string {
  const folder = '.claude/projects/-code-shop';
  env.project(folder, { 'good.jsonl': turn('user', 'Which port?') + turn('assistant', 'Port 8443.') });
  const transcript = join(env.home, folder, 'good.jsonl');
  mkdirSync(hooksFolder(env.palace), { recursive: true, mode: 0o700 });
  writeFileSync(join(hooksFolder(env.palace), 'runner'), `${process.pid}\n`);
  note(env, 'good', transcript);
  return transcript;
}

const note = (env: TestEnv, sessionId: string, transcript: string) =>
  enqueue(env.palace, {
    harness: 'claude-code',
    sessionId,
    transcript,
    offset: 1,
    ended: false,
    rests: false,
  });

async function expectGoodIsFiled(env: TestEnv): Promise<void> {
  const { sources } = await env.json('mempalace', ['list', 'sources']);
  expect(sources).toMatchObject([{ source_key: 'claude-code:talk-1' }]);
}

describe('a hook with bad input', () => {
  const good = (transcript: string) => ({
    session_id: 's-1',
    transcript_path: transcript,
    cwd: '/code/shop',
  });

  it('answers, says in the log what is wrong, and notes nothing that a run would fail on', async () => {
    const env = new TestEnv();
    const transcript = withGoodSession(env);
    const inputs: [object, string][] = [
      [{ session_id: 'a\u0000b' }, 'session_id contains a control character'],
      [{ session_id: 'a\u001b[2Jb' }, 'session_id contains a control character'],
      [{ session_id: '\ud800' }, 'session_id contains half of a character'],
      [{ session_id: '../../talk-1' }, 'session_id is a path'],
      [{ session_id: 'x'.repeat(100_000) }, 'session_id is longer'],
      [{ session_id: ['s-1'] }, 'session_id is not a text'],
      [{ session_id: 1e300 }, 'session_id is not a text'],
      [{ transcript_path: `${transcript}\u0000` }, 'transcript_path contains a control character'],
      [{ transcript_path: 'good.jsonl' }, 'transcript_path is not an absolute path'],
      [{ transcript_path: { path: transcript } }, 'transcript_path is not a text'],
      [{ transcript_path: `/${'x'.repeat(5_000)}` }, 'transcript_path is longer'],
      [{ transcript_path: `/${'x'.repeat(1_000)}` }, 'ENAMETOOLONG'],
      [{ transcript_path: env.home }, 'is not a regular file'],
      [{ transcript_path: '/dev/zero' }, 'is not a regular file'],
    ];
    for (const [bad, reason] of inputs) {
      expect([reason, await hook(env, 'stop', JSON.stringify({ ...good(transcript), ...bad }))]).toEqual([
        reason,
        FINE,
      ]);
      expect(logOf(env)).toContain(reason);
    }
    for (const input of ['null', '[]', '7', '"s-1"', '[{"session_id":"s-1"}]'])
      expect(await hook(env, 'stop', input)).toEqual(FINE);
    expect(waiting(env.palace)).toBe(1);
    // What is not needed for it does not keep a session from being noted.
    for (const cwd of ['/code\u0000', 'shop', ['/code'], '\ud800'])
      expect(await hook(env, 'stop', JSON.stringify({ ...good(transcript), cwd }))).toEqual(FINE);
    expect(waiting(env.palace)).toBe(2);
    for (const name of ['session-start', 'session-end', 'user-prompt', 'subagent-stop'])
      for (const bad of [{ session_id: 'a\u0000b' }, { transcript_path: '/a\u0000' }])
        expect((await hook(env, name, JSON.stringify({ ...good(transcript), ...bad }))).exitCode).toBe(0);
  });

  it.each(['codex', 'opencode', 'kimi', 'pi'])('is refused for %s, too', async (harness) => {
    const env = new TestEnv();
    const transcript = withGoodSession(env);
    for (const session_id of ['a\u0000b', '..', 'x'.repeat(1_000), 7, '\ud83d'])
      expect(await hook(env, 'stop', JSON.stringify({ ...good(transcript), session_id }), harness)).toEqual(
        FINE,
      );
    expect(waiting(env.palace)).toBe(1);
    expect(logOf(env).match(/session_id (?:is|contains) /g)).toHaveLength(5);
  });
});

describe('mempalace hook flush', () => {
  it('sets aside sessions whose transcript is no file any more, and files the others', async () => {
    const env = new TestEnv();
    withGoodSession(env);
    const at = (name: string) => join(env.home, `${name}.jsonl`);
    spawnSync('mkfifo', [at('pipe')]);
    mkdirSync(at('folder'));
    symlinkSync('/dev/zero', at('device'));
    symlinkSync('/nowhere', at('dangling'));
    symlinkSync(at('pipe'), at('link'));
    const names = ['pipe', 'folder', 'device', 'dangling', 'link', 'gone'];
    for (const name of names) note(env, name, at(name));
    const flushed = await env.json('mempalace', ['hook', 'flush']);
    expect(flushed).toMatchObject({ sessions: 7, filed: 1, failed: 6, left: 0, set_aside: 6 });
    expect(aside(env.palace).map(({ sessionId }) => sessionId)).toEqual(expect.arrayContaining(names));
    await expectGoodIsFiled(env);
    expect((await env.run('mempalace', ['status'])).stdout).toMatch(/6 sessions of hooks could not be filed/);
    expect((await env.run('mempalace', ['doctor'])).stdout).toMatch(/6 sessions could not be filed/);
    // Back again: the next hook of the session takes it in.
    rmSync(at('pipe'));
    writeFileSync(at('pipe'), turn('user', 'Which gate?', { sessionId: 'talk-9' }));
    await hook(env, 'stop', JSON.stringify({ session_id: 'pipe', transcript_path: at('pipe') }));
    expect(aside(env.palace)).toHaveLength(5);
  });

  it('files the others beside a very large transcript that says nothing', async () => {
    const env = new TestEnv();
    withGoodSession(env);
    const large = join(env.home, 'large.jsonl');
    writeFileSync(large, '');
    truncateSync(large, 300 * 1024 * 1024);
    note(env, 'large', large);
    const { filed } = await env.json('mempalace', ['hook', 'flush'], 3);
    expect(filed).toBe(1);
    await expectGoodIsFiled(env);
  });

  it('sets aside a session whose runs were killed three times, and files the others', async () => {
    const env = new TestEnv();
    const transcript = withGoodSession(env);
    const folder = join(hooksFolder(env.palace), 'taken');
    mkdirSync(folder, { mode: 0o700 });
    const entry = { harness: 'claude-code', session_id: 'killer', path: transcript, tries: 3 };
    writeFileSync(join(folder, 'killer.json'), JSON.stringify(entry));
    expect(await env.json('mempalace', ['hook', 'flush'])).toMatchObject({ filed: 1, set_aside: 1 });
    expect(aside(env.palace)).toMatchObject([{ sessionId: 'killer' }]);
    await expectGoodIsFiled(env);
  });
});

describe('a named pipe where a program looks for its files', () => {
  const pipe = (env: TestEnv, path: string, file: string) =>
    spawnSync('mkfifo', [join(env.project(path, {}), file)]);

  it('does not stop the feeders', async () => {
    const env = new TestEnv();
    withGoodSession(env);
    const projects = '.claude/projects/-code-shop';
    pipe(env, projects, 'talk-7.jsonl');
    pipe(env, projects, 'good.meta.json');
    symlinkSync(join(env.home, projects, 'talk-7.jsonl'), join(env.home, projects, 'link.jsonl'));
    pipe(env, `${projects}/talk-1/subagents`, 'agent-a.jsonl');
    const filed = ['--from', 'claude-code', '--min-messages', '1'];
    expect(await env.run('mempalace-session', filed)).toMatchObject({ exitCode: 0, stderr: '' });
    await expectGoodIsFiled(env);
    pipe(env, '.local/share/opencode', 'opencode.db');
    const { exitCode, stderr } = await env.run('mempalace-session', []);
    // The sessions of the other agent are filed.
    expect([exitCode, stderr]).toEqual([3, expect.stringContaining('is not a file')]);
    env.project('docs', { 'b.md': '# Port\n\n8443.\n' });
    for (const name of ['a.md', 'mempalace.yaml', '.gitignore', 'watchdog_manifest_v1.jsonl'])
      pipe(env, 'docs', name);
    expect((await env.run('mempalace-docs', [join(env.home, 'docs')])).exitCode).toBeLessThan(4);
  });

  it('does not stop a program that is given its name', async () => {
    const env = new TestEnv();
    withGoodSession(env);
    pipe(env, 'pipes', 'a.jsonl');
    const named = join(env.home, 'pipes/a.jsonl');
    for (const args of [
      ['mine', join(env.home, 'pipes'), '--mode', 'convos'],
      ['import', named],
      ['import-chroma', named],
      ['hook', 'flush'],
    ])
      expect([args, (await env.run('mempalace', args)).exitCode]).toEqual([args, expect.any(Number)]);
  });

  it('does not stop the start of a session', async () => {
    const env = new TestEnv();
    const transcript = withGoodSession(env);
    await env.json('mempalace', ['hook', 'flush']);
    const input = { session_id: 's-1', transcript_path: transcript, cwd: '/code/shop' };
    await hook(env, 'session-start', JSON.stringify(input));
    rmSync(transcript);
    spawnSync('mkfifo', [transcript]);
    for (const source of ['startup', 'resume', 'compact'])
      for (const session_id of ['s-1', 's-2']) {
        const { exitCode, stdout } = await hook(
          env,
          'session-start',
          JSON.stringify({ ...input, session_id, source }),
        );
        expect([exitCode, stdout]).toEqual([0, expect.stringContaining('additionalContext')]);
      }
  });
});
