import { mkdirSync, readdirSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { execa } from 'execa';
import { describe, expect, it } from 'vitest';
import { hooksFolder } from '../../src/hooks/queue.js';
import { chatServer } from '../support/chat-server.js';
import { kimiFiles } from '../support/kimi.js';
import { exchange, OpencodeDatabase } from '../support/opencode-database.js';
import { turn } from '../support/talks.js';
import { TestEnv } from '../support/test-env.js';

/** Calls a hook as a harness does, without a background run: the test has the ticket. */
async function hook(env: TestEnv, name: string, input: object, harness: string): Promise<void> {
  mkdirSync(hooksFolder(env.palace), { recursive: true, mode: 0o700 });
  writeFileSync(join(hooksFolder(env.palace), 'runner'), `${process.pid}\n`);
  const argv = [...env.argv('mempalace'), 'hook', 'run', '--hook', name, '--harness', harness];
  const options = { env: env.env, extendEnv: false, input: JSON.stringify(input) } as const;
  await execa(process.execPath, argv, options);
}

const flush = (env: TestEnv) => env.json('mempalace', ['hook', 'flush']);
const checkpoints = async (env: TestEnv) => {
  const { checkpoints: found } = await env.json('mempalace', ['checkpoint', 'list']);
  return (found as { checkpoint_id: string; title: string }[]).map(({ checkpoint_id: id, title }) => ({
    id,
    type: /\w+(?=\))/.exec(title)?.[0],
  }));
};

function history(env: TestEnv): OpencodeDatabase {
  env.project('.local/share/opencode', {});
  return new OpencodeDatabase(join(env.home, '.local/share/opencode/opencode.db'));
}

describe('a session whose end no program reports', () => {
  it('of opencode: each stop files where it stands, and replaces what the last one filed', async () => {
    const env = new TestEnv();
    const opencode = history(env);
    opencode.addSession({ id: 'ses_one', messages: exchange('Which port does the proxy use?', '8443.') });
    await hook(env, 'stop', { session_id: 'ses_one', cwd: '/code' }, 'opencode');
    await flush(env);
    expect(await checkpoints(env)).toMatchObject([{ id: 'checkpoint:opencode:ses_one/1.md', type: 'auto' }]);
    const { stdout } = await env.run('mempalace', ['checkpoint', 'show', 'ses_one']);
    expect(stdout).toContain('Which port does the proxy use?');
    opencode.addSession({ id: 'ses_two', messages: exchange('Only compacted?', 'Yes.') });
    opencode.close();
    await hook(env, 'precompact', { session_id: 'ses_two', cwd: '/code' }, 'opencode');
    await hook(env, 'stop', { session_id: 'ses_one', cwd: '/code' }, 'opencode');
    await flush(env);
    expect(await checkpoints(env)).toMatchObject([{ id: 'checkpoint:opencode:ses_one/1.md' }]);
  });

  it('of Kimi CLI, where only the hook for stops is set', async () => {
    const env = new TestEnv();
    env.project('.kimi', kimiFiles('/code/shop', 'talk-1', ['Which port?', '8443.'], ['Read.', 'Done.']));
    await hook(env, 'stop', { session_id: 'talk-1', cwd: '/code/shop' }, 'kimi');
    await flush(env);
    expect(await checkpoints(env)).toMatchObject([{ id: 'checkpoint:kimi:talk-1/1.md', type: 'auto' }]);
  });

  it('a stop of a program that reports the end files none', async () => {
    const env = new TestEnv();
    env.project('talks', { 'talk-1.jsonl': turn('user', 'Which port?') + turn('assistant', '8443.') });
    const input = { session_id: 'talk-1', transcript_path: join(env.home, 'talks/talk-1.jsonl') };
    await hook(env, 'stop', input, 'claude-code');
    await flush(env);
    expect(await checkpoints(env)).toEqual([]);
    await hook(env, 'session-end', input, 'claude-code');
    await flush(env);
    expect(await checkpoints(env)).toMatchObject([{ type: 'auto' }]);
  });

  it('is summarised once, when nothing has followed for half an hour', async () => {
    const env = new TestEnv();
    const chat = await chatServer();
    Object.assign(env.env, {
      MEMPALACE_SUMMARY_URL: chat.url,
      MEMPALACE_SUMMARY_MODEL: 'small',
      MEMPALACE_SUMMARY_AUTO: 'on',
    });
    const opencode = history(env);
    for (const id of ['ses_one', 'ses_two'])
      opencode.addSession({ id, messages: exchange(`Which port is of ${id}?`, '8443.') });
    opencode.close();
    const stop = async (session_id: string) => {
      await hook(env, 'stop', { session_id, cwd: '/code' }, 'opencode');
      return flush(env);
    };
    for (let prompt = 0; prompt < 3; prompt += 1) await stop('ses_one');
    expect(chat.requests).toHaveLength(0);
    const resting = join(hooksFolder(env.palace), 'resting');
    const earlier = new Date(Date.now() - 31 * 60_000);
    for (const name of readdirSync(resting)) utimesSync(join(resting, name), earlier, earlier);
    expect(await stop('ses_two')).toMatchObject({ summaries: { filed: 1, left: 0, problem: null } });
    expect(JSON.stringify(chat.requests.map(({ body }) => body))).toContain('ses_one');
    await stop('ses_two');
    expect(chat.requests).toHaveLength(1);
  });
});

describe('mempalace checkpoint', () => {
  it('is of the session that stopped last in the folder, also when no other hook noted it', async () => {
    const env = new TestEnv();
    const file = (id: string) => join(env.home, 'talks', `${id}.jsonl`);
    env.project(
      'talks',
      Object.fromEntries(
        ['talk-1', 'talk-2'].map((sessionId) => [
          `${sessionId}.jsonl`,
          turn('user', 'Which port?', { sessionId }) + turn('assistant', '8443.', { sessionId }),
        ]),
      ),
    );
    const cwd = process.cwd();
    const at = (id: string) => ({ session_id: id, transcript_path: file(id), cwd });
    await hook(env, 'session-end', at('talk-1'), 'claude-code');
    const later = new Date(Date.now() + 60_000);
    utimesSync(file('talk-2'), later, later);
    await hook(env, 'stop', at('talk-2'), 'claude-code');
    const { session } = await env.json('mempalace', ['checkpoint', '--note', 'The tax is next.']);
    expect(session).toBe('claude-code:talk-2');
  });
});
