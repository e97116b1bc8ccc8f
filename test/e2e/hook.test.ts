import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import {
  appendFileSync,
  closeSync,
  cpSync,
  existsSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { execa } from 'execa';
import { describe, expect, it, vi } from 'vitest';
import { waiting } from '../../src/hooks/queue.js';
import { schemas } from '../support/json-schemas.js';
import { kimiFiles } from '../support/kimi.js';
import { exchange, OpencodeDatabase } from '../support/opencode-database.js';
import { turn } from '../support/talks.js';
import { type Outcome, TestEnv } from '../support/test-env.js';

function talk(env: TestEnv): string {
  env.project('.claude/projects/-code-shop', {
    'talk-1.jsonl': turn('user', 'Which port does the proxy use?') + turn('assistant', 'Port 8443.'),
    'talk-1/subagents/agent-a.jsonl': turn('user', 'Read the manual.', { agentId: 'a' }),
    'agent-b.jsonl': turn('user', 'Count the ships.', { agentId: 'b' }),
    'agent-c.jsonl': turn('user', 'Of another session.', { agentId: 'c', sessionId: 'talk-2' }),
    'talk-2.jsonl': turn('user', 'Another session.', { sessionId: 'talk-2' }),
  });
  return join(env.home, '.claude/projects/-code-shop/talk-1.jsonl');
}

/** Calls a hook as a harness does. */
async function hook(
  env: TestEnv,
  name: string,
  input: unknown,
  harness = 'claude-code',
  more: readonly string[] = [],
): Promise<Outcome> {
  const argv = [...env.argv('mempalace'), 'hook', 'run', '--hook', name, '--harness', harness, ...more];
  const { stdout, stderr, exitCode } = await execa(process.execPath, argv, {
    env: env.env,
    extendEnv: false,
    reject: false,
    input: typeof input === 'string' ? input : JSON.stringify(input),
  });
  return { stdout, stderr, exitCode };
}

const hooks = (env: TestEnv) => join(env.palace, 'hooks');
const logOf = (env: TestEnv) => readFileSync(join(hooks(env), 'hooks.log'), 'utf8');
const queued = (env: TestEnv) => readdirSync(join(hooks(env), 'queue')).length;
/** Takes the ticket as the test itself, so that hooks start no run. */
function holdTicket(env: TestEnv): void {
  mkdirSync(hooks(env), { recursive: true, mode: 0o700 });
  writeFileSync(join(hooks(env), 'runner'), `${process.pid}\n`);
}
const settled = (env: TestEnv) =>
  vi.waitFor(
    () => {
      expect(existsSync(join(hooks(env), 'runner'))).toBe(false);
      expect(queued(env)).toBe(0);
    },
    { timeout: 60_000, interval: 100 },
  );

describe('mempalace hook run', () => {
  it('notes the session, answers, and starts a run that files it with its sub-agents; later only what is new', async () => {
    const env = new TestEnv();
    const transcript = talk(env);
    const input = { session_id: 'talk-1', transcript_path: transcript, cwd: '/code/shop' };
    expect(await hook(env, 'stop', input)).toEqual({ stdout: '{}', stderr: '', exitCode: 0 });
    await settled(env);
    const keysOf = async () => {
      const { sources } = await env.json('mempalace', ['list', 'sources']);
      return (sources as { source_key: string }[]).map(({ source_key }) => source_key).sort();
    };
    expect(await keysOf()).toEqual(['claude-code:talk-1', 'claude-code:talk-1/a', 'claude-code:talk-1/b']);
    appendFileSync(transcript, turn('user', 'And the zebra gateway?') + turn('assistant', 'It is retired.'));
    await hook(env, 'precompact', input);
    await settled(env);
    const { hits } = await env.json('mempalace', ['search', 'zebra gateway', '--limit', '1']);
    expect(JSON.stringify(hits)).toContain('zebra');
    // The same file by hand: nothing is new, nothing is duplicated.
    const again = await env.json('mempalace', [
      'mine',
      join(env.home, '.claude/projects'),
      '--mode',
      'convos',
    ]);
    expect(again).toMatchObject({ new: 2, changed: 0, unchanged: 3 });
  });

  it('starts one run for many calls at once, and none while a run is pending', async () => {
    const env = new TestEnv();
    const input = { session_id: 'talk-1', transcript_path: talk(env) };
    holdTicket(env);
    const names = ['stop', 'precompact', 'session-end', 'stop'];
    const answers = await Promise.all(names.map((name) => hook(env, name, input)));
    // Output before a compaction would be shown to the user.
    const answer = (name: string) => ({ stdout: name === 'precompact' ? '' : '{}', stderr: '', exitCode: 0 });
    expect(answers).toEqual(names.map(answer));
    expect(queued(env)).toBe(1);
    expect(logOf(env)).not.toContain('begins');
    const flushed = schemas.hookFlush.parse(await env.json('mempalace', ['hook', 'flush']));
    expect(flushed).toMatchObject({ sessions: 1, filed: 1, failed: 0, left: 0, problems: [] });
    expect(await env.json('mempalace', ['hook', 'flush'])).toMatchObject({ sessions: 0, filed: 0 });
  });

  it('files a session of opencode by its id, and prints what the palace knows when the next one starts', async () => {
    const env = new TestEnv();
    expect((await hook(env, 'session-start', { cwd: '/home/dev/shop' }, 'opencode')).stdout).toBe('{}');
    env.project('.local/share/opencode', {});
    const history = new OpencodeDatabase(join(env.home, '.local/share/opencode/opencode.db'));
    history.addSession({ id: 'ses_one', messages: exchange('Which port?', '8443, since 443 needs root.') });
    history.addSession({ id: 'ses_two', messages: exchange('Not yet idle?', 'No.') });
    history.close();
    await hook(env, 'stop', { session_id: 'ses_one' }, 'opencode');
    await settled(env);
    const { sources } = await env.json('mempalace', ['list', 'sources']);
    const keys = (sources as { source_key: string }[]).map(({ source_key }) => source_key);
    // Its checkpoint is filed with it.
    expect(keys.sort()).toEqual(['checkpoint:opencode:ses_one/1.md', 'opencode:ses_one']);
    const { context } = JSON.parse(
      (await hook(env, 'session-start', { cwd: '/home/dev/shop' }, 'opencode')).stdout,
    ) as { context: string };
    expect(context).toContain('Which port?');
    const told = await env.run('mempalace', ['wake-up', '--folder', '/home/dev/shop']);
    expect(context.trimEnd()).toBe(told.stdout);
    const start = JSON.parse((await hook(env, 'session-start', { cwd: '/home/dev/shop' }, 'codex')).stdout);
    expect(start).toEqual({
      hookSpecificOutput: { hookEventName: 'SessionStart', additionalContext: context },
    });
  });

  it('files a session of Kimi CLI by its id, with its sub-agent; a session of another program is not noted', async () => {
    const env = new TestEnv();
    for (const id of ['talk-1', 'talk-2'])
      env.project('.kimi', kimiFiles('/code/shop', id, ['Which port?', '8443.'], ['Read.', 'Done.']));
    for (const session_id of ['session_of_kimi_code', '../talk-1'])
      expect((await hook(env, 'stop', { session_id, cwd: '/code/shop' }, 'kimi')).stdout).toBe('{}');
    expect(logOf(env)).toContain('there is no such session of Kimi CLI');
    expect(existsSync(join(hooks(env), 'queue'))).toBe(false);
    for (const [name, session_id] of [
      ['stop-failure', 'talk-1'],
      ['subagent-stop', 'talk-2'],
    ] as const) {
      expect((await hook(env, name, { session_id, cwd: '/code/shop' }, 'kimi')).stdout).toBe('{}');
      await settled(env);
    }
    const { sources } = await env.json('mempalace', ['list', 'sources']);
    expect((sources as { source_key: string }[]).map(({ source_key }) => source_key).sort()).toEqual([
      'kimi:talk-1',
      'kimi:talk-1/a1',
      'kimi:talk-2',
      'kimi:talk-2/a1',
    ]);
  });

  it('files a sub-agent of Codex when it stops, its session first, and sessions of pi', async () => {
    const env = new TestEnv();
    const fixtures = fileURLToPath(new URL('../fixtures/transcripts/', import.meta.url));
    cpSync(join(fixtures, 'codex/0.169.0-gpt-6-sol/sessions'), join(env.home, '.codex/sessions'), {
      recursive: true,
    });
    const day = join(env.home, '.codex/sessions/2026/11/22');
    const session_id = '01a204c2-8799-7da0-87c0-22600fc9a02a';
    const forked = '01a204c2-9139-7953-a79b-29f5df48c0e2';
    const input = {
      session_id,
      transcript_path: join(day, `rollout-2026-11-22T19-36-27-${session_id}.jsonl`),
      agent_transcript_path: join(day, `rollout-2026-11-22T19-36-29-${forked}.jsonl`),
    };
    expect((await hook(env, 'subagent-stop', input, 'codex')).stdout).toBe('{}');
    await settled(env);
    const talks = join(fixtures, 'pi/pi-0.73.1');
    const pi = { session_id: 'x', transcript_path: join(talks, 'compaction-error-abort.jsonl') };
    expect((await hook(env, 'stop', pi, 'pi')).stdout).toBe('{}');
    await settled(env);
    const { sources } = await env.json('mempalace', ['list', 'sources']);
    expect((sources as { source_key: string }[]).map(({ source_key }) => source_key).sort()).toEqual([
      'checkpoint:pi:01a2049d-069e-7014-bd95-86a9cb2e4d38/1.md',
      `codex:${session_id}`,
      `codex:${session_id}/${forked}`,
      'pi:01a2049d-069e-7014-bd95-86a9cb2e4d38',
    ]);
    const { stdout } = await env.run('mempalace', ['show', `codex:${session_id}/${forked}`]);
    expect(stdout).toContain('SUB4-FINAL');
    expect(stdout).not.toContain('WORK-FINAL');
  });

  it('describes the wing of the project in which it starts', async () => {
    const env = new TestEnv();
    const shop = env.project('shop', {
      'docs/a.md': '# Shop\n\nCents.\n',
      'mempalace.yaml': 'wing: wing_shop\n',
    });
    const other = env.project('other', { 'b.md': '# Other\n\nShips.\n' });
    await env.json('mempalace-docs', [shop]);
    await env.json('mempalace-docs', [other]);
    const { stdout } = await hook(env, 'session-start', { cwd: join(shop, 'docs') });
    expect(stdout).toContain('1 source');
    expect(stdout).not.toContain('wing_other');
    const outside = (await hook(env, 'session-start', { cwd: env.home })).stdout;
    expect(outside).toContain('2 drawers from 2 sources of 2 projects');
    expect(outside).not.toMatch(/wing_|Shop|Other/);
  });

  it.each([
    ['garbage on stdin', 'the secret is out', {}, 'not JSON'],
    ['nothing on stdin', '', {}, 'not JSON'],
    ['a transcript that is gone', { session_id: 's', transcript_path: '/nowhere.jsonl' }, {}, 'ENOENT'],
    ['no session', { transcript_path: '/nowhere.jsonl' }, {}, 'no session_id'],
    ['no transcript', { session_id: 's' }, {}, 'no transcript_path'],
    ['a broken configuration', { session_id: 's' }, { 'config.yaml': 'search: [' }, 'config.yaml'],
  ])('answers and exits with 0 in spite of %s', async (_, input, files, reason) => {
    const env = new TestEnv();
    env.project('.config/mempalace', files);
    expect(await hook(env, 'stop', input)).toEqual({ stdout: '{}', stderr: '', exitCode: 0 });
    expect(logOf(env)).toContain(reason);
    expect(logOf(env)).not.toContain('secret');
  });

  /** A harness that keeps stdin open, or closes stdout early, until the hook has ended. */
  async function sloppy(env: TestEnv, input: string, readsAnswer = true) {
    const argv = [...env.argv('mempalace'), 'hook', 'run', '--hook', 'stop', '--harness', 'claude-code'];
    const child = spawn(process.execPath, argv, { env: env.env });
    const said = { stdout: '', stderr: '' };
    for (const name of ['stdout', 'stderr'] as const)
      child[name].on('data', (data) => {
        said[name] += data;
      });
    if (!readsAnswer) child.stdout.destroy();
    child.stdin.write(input);
    const [exitCode] = await once(child, 'exit');
    return { ...said, exitCode };
  }

  it('does not wait for the end of stdin', async () => {
    const env = new TestEnv();
    holdTicket(env);
    const input = `${JSON.stringify({ session_id: 'talk-1', transcript_path: talk(env) })}\n`;
    expect(await sloppy(env, input)).toEqual({ stdout: '{}\n', stderr: '', exitCode: 0 });
    expect(queued(env)).toBe(1);
    const long = JSON.stringify({
      session_id: 'talk-2',
      transcript_path: talk(env),
      said: '}\n'.repeat(500_000),
    });
    expect(await sloppy(env, long)).toEqual({ stdout: '{}\n', stderr: '', exitCode: 0 });
    expect(queued(env)).toBe(2);
    expect(await sloppy(env, input.slice(0, -3))).toEqual({ stdout: '{}\n', stderr: '', exitCode: 0 });
    expect(logOf(env)).toContain('stdin was not closed');
  });

  it('reads from a file, too', () => {
    const env = new TestEnv();
    holdTicket(env);
    const input = { 'input.json': JSON.stringify({ session_id: 'talk-1', transcript_path: talk(env) }) };
    const argv = [...env.argv('mempalace'), 'hook', 'run', '--hook', 'stop', '--harness', 'claude-code'];
    const file = openSync(join(env.project('inputs', input), 'input.json'), 'r');
    const { stdout, stderr } = spawnSync(process.execPath, argv, {
      env: env.env,
      stdio: [file, 'pipe', 'pipe'],
      encoding: 'utf8',
    });
    closeSync(file);
    expect([stdout, stderr, queued(env)]).toEqual(['{}\n', '', 1]);
  });

  it('notes the session of a harness that does not read the answer', async () => {
    const env = new TestEnv();
    holdTicket(env);
    const input = JSON.stringify({ session_id: 'talk-1', transcript_path: talk(env) });
    expect(await sloppy(env, input, false)).toEqual({ stdout: '', stderr: '', exitCode: 0 });
    expect(queued(env)).toBe(1);
  });

  it('answers with a damaged or impossible palace, and with wrong flags', async () => {
    const env = new TestEnv();
    env.project('.mempalace/palace', { 'palace.sqlite3': 'this is no database, and never was one' });
    const fine = { stdout: '{}', stderr: '', exitCode: 0 };
    expect(await hook(env, 'session-start', {})).toEqual(fine);
    expect(logOf(env)).toContain('wake-up: ');
    const file = join(env.project('elsewhere', { file: '' }), 'file');
    const input = { session_id: 'talk-1', transcript_path: talk(env) };
    expect(await hook(env, 'stop', input, 'codex', ['--palace', file])).toEqual(fine);
    expect(await hook(env, 'stopp', {})).toEqual(fine);
    expect(await hook(env, 'stop', {}, 'emacs', ['--unheard-of'])).toEqual(fine);
  });
});

describe('mempalace hook flush', () => {
  it('is not asked to file a named pipe, for whose writer it would wait', async () => {
    const env = new TestEnv();
    const pipe = join(env.home, 'pipe.jsonl');
    spawnSync('mkfifo', [pipe]);
    await hook(env, 'stop', { session_id: 'talk-1', transcript_path: pipe });
    expect(waiting(env.palace)).toBe(0);
    expect(logOf(env)).toContain('not a regular file');
  });

  it('tries a session that cannot be filed three times, and files the others', async () => {
    const env = new TestEnv();
    const transcript = talk(env);
    holdTicket(env);
    await hook(env, 'stop', { session_id: 'talk-1', transcript_path: transcript });
    await hook(env, 'stop', { session_id: 'ses_gone' }, 'opencode');
    const first = schemas.hookFlush.parse(await env.json('mempalace', ['hook', 'flush'], 3));
    expect(first).toMatchObject({ sessions: 2, filed: 1, failed: 1, left: 1 });
    expect(first.problems).toMatchObject([{ session_id: 'ses_gone', harness: 'opencode' }]);
    expect(await env.json('mempalace', ['hook', 'flush'], 3)).toMatchObject({ sessions: 1, left: 1 });
    expect(await env.json('mempalace', ['hook', 'flush'])).toMatchObject({
      sessions: 1,
      left: 0,
      set_aside: 1,
    });
    expect(await env.json('mempalace', ['hook', 'flush'])).toMatchObject({ sessions: 0, left: 0 });
    const { hooks: unfiled } = await env.json('mempalace', ['status']);
    expect(unfiled).toMatchObject({
      waiting: 0,
      set_aside: [{ harness: 'opencode', session_id: 'ses_gone' }],
    });
    expect(await env.json('mempalace', ['hook', 'flush', '--retry'], 3)).toMatchObject({
      sessions: 1,
      left: 1,
    });
    for (let run = 0; run < 2; run += 1) await env.run('mempalace', ['hook', 'flush']);
    const doctor = await env.run('mempalace', ['doctor']);
    expect(doctor.stdout).toMatch(/ses_gone.*hook flush --retry/s);
    expect((await env.run('mempalace', ['hook', 'flush', '--drop'])).stdout).toContain('1 session');
    expect(await env.json('mempalace', ['status'])).not.toHaveProperty('hooks');
  });

  it('files a session with its sub-agents in runs that are all too short', async () => {
    const env = new TestEnv();
    const transcript = talk(env);
    env.project('.claude/projects/-code-shop/talk-1/subagents', {
      'agent-d.jsonl': turn('user', 'Weigh the anchor.', { agentId: 'd' }),
      'agent-e.jsonl': turn('user', 'Mend the sail.', { agentId: 'e' }),
    });
    holdTicket(env);
    await hook(env, 'session-end', { session_id: 'talk-1', transcript_path: transcript });
    const filed: number[] = [];
    for (let exit: number | undefined = 3; exit === 3 && filed.length < 10; ) {
      const outcome = await env.run('mempalace', ['hook', 'flush', '--max-duration', '1ms', '--json']);
      exit = outcome.exitCode;
      expect(JSON.parse(outcome.stdout)).toMatchObject({ failed: 0, set_aside: 0, left: exit === 0 ? 0 : 1 });
      filed.push(Number((await env.json('mempalace', ['list', 'sources'])).total));
    }
    expect(filed.at(-1)).toBeGreaterThanOrEqual(5);
    expect(filed.length).toBeGreaterThan(3);
  });

  it('does not count tries while the embedding endpoint is down', async () => {
    const env = new TestEnv();
    const transcript = talk(env);
    holdTicket(env);
    const server = createServer((request, response) => {
      request.resume().on('end', () => {
        const data = [{ object: 'embedding', index: 0, embedding: [3, 4] }];
        response.setHeader('content-type', 'application/json').end(JSON.stringify({ object: 'list', data }));
      });
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo;
    const model = { MEMPALACE_MODEL: `http://127.0.0.1:${port}/v1#small` };
    const document = env.project('one', { 'a.md': '# One\n\nPassage.\n' });
    expect((await env.run('mempalace-docs', [document], model)).exitCode).toBe(0);
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
    await hook(env, 'stop', { session_id: 'talk-1', transcript_path: transcript });
    for (let times = 0; times < 4; times += 1) {
      const { exitCode, stderr } = await env.run('mempalace', ['hook', 'flush'], model);
      expect([exitCode, stderr]).toEqual([1, expect.stringContaining('127.0.0.1')]);
      expect(waiting(env.palace)).toBe(1);
    }
  });
});
