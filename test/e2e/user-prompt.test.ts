import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { describe, expect, it } from 'vitest';
import { NOTICE } from '../../src/core/outside.js';
import { brokerFile, withBroker } from '../support/broker.js';
import { hookedMachine, toldBy } from '../support/hook-starts.js';
import { turn } from '../support/talks.js';
import type { TestEnv } from '../support/test-env.js';

const QUESTION = 'How is money rounded in the cart?';
const ANSWER = 'Money is rounded once in the cart, on the total.';
const input = (session_id: string, prompt = QUESTION, more = {}) => ({
  session_id,
  prompt,
  cwd: '/code/shop',
  hook_event_name: 'UserPromptSubmit',
  ...more,
});
const told = (env: TestEnv, given: object, harness = 'claude-code') =>
  toldBy(env, harness, given, 'user-prompt');

/** A machine with a palace that answers the question. */
async function shopMachine(settings = 'wake_up: { prompt: on }'): Promise<TestEnv> {
  const env = await hookedMachine();
  const shop = env.project('shop', {
    'docs/rounding.md': `# Rounding\n\n${ANSWER}\n`,
    'docs/lamps.md': '# Lamps\n\nLamps are stored in the cellar, sorted by colour.\n',
  });
  await env.json('mempalace-docs', [shop]);
  env.project('.config/mempalace', { 'config.yaml': `${settings}\n` });
  return env;
}

const logOf = (env: TestEnv) => {
  const file = join(env.palace, 'hooks/hooks.log');
  return existsSync(file) ? readFileSync(file, 'utf8') : '';
};

describe('the first prompt of a session', () => {
  it('is given the passages that answer it, once, in whatever folder', async () => {
    const env = await shopMachine();
    const text = await told(env, input('s1'));
    expect(text.split('\n')[0]).toBe(`memory (${NOTICE})`);
    expect(text).toContain(`│   ${ANSWER}\n`);
    expect(text).not.toContain('Lamps');
    expect(await told(env, input('s1'))).toBe('');
    expect(await told(env, input('s1', QUESTION, { cwd: '/code/other' }))).toBe('');
    expect(await told(env, input('s1'), 'codex')).toBe(text);
    expect(await told(env, input('s2', QUESTION, { cwd: '/code/other' }))).toBe(text);
    expect(logOf(env)).toBe('');
  });

  it('is also the first one after the start of a session, and after a command', async () => {
    const env = await shopMachine();
    await toldBy(env, 'claude-code', { ...input('s1'), source: 'startup' });
    expect(await told(env, input('s1', '/clear'))).toBe('');
    expect(await told(env, input('s1'))).toContain(ANSWER);
    await toldBy(env, 'claude-code', { ...input('s1'), source: 'resume' });
    expect(await told(env, input('s1'))).toBe('');
  });

  it.each([
    ['by default', ''],
    ['where it is switched off', 'wake_up: { prompt: off }'],
  ])('is given nothing %s', async (_, settings) => {
    const env = await shopMachine(settings);
    expect(await told(env, input('s1'))).toBe('');
    expect(existsSync(join(env.palace, 'hooks/sessions'))).toBe(false);
  });

  it('is given nothing that only resembles it, and neither is the second one', async () => {
    const env = await shopMachine();
    expect(await told(env, input('s1', 'Which birds breed on the northern islands?'))).toBe('');
    expect(await told(env, input('s1'))).toBe('');
  });

  it('is given nothing in Kimi CLI, which would drop it', async () => {
    expect(await told(await shopMachine(), input('s1'), 'kimi')).toBe('');
  });

  it('does not upgrade a palace of an earlier version', async () => {
    const env = await shopMachine();
    const file = join(env.palace, 'palace.sqlite3');
    const versionOf = (change = '') => {
      const sql = new Database(file);
      if (change !== '') sql.exec(change);
      const version = sql.pragma('user_version', { simple: true });
      sql.close();
      return version;
    };
    versionOf('PRAGMA user_version = 6');
    expect(await told(env, input('s1'))).toBe('');
    expect(logOf(env)).toContain('earlier version');
    expect(versionOf()).toBe(6);
  });

  it('is answered by the broker, if one runs', async () => {
    const env = withBroker(await shopMachine());
    await env.json('mempalace', ['broker', 'ensure']);
    const { pid } = brokerFile(env);
    expect(await told(env, input('s1'))).toContain(ANSWER);
    expect(brokerFile(env).pid).toBe(pid);
  });

  it('does not notice a palace that is damaged or missing, and input without a prompt', async () => {
    const env = await shopMachine();
    writeFileSync(join(env.palace, 'palace.sqlite3'), 'this is no database, and never was one');
    expect(await told(env, input('s1'))).toBe('');
    expect(logOf(env)).toContain('warn');
    expect(logOf(env)).not.toContain('rounded');
    env.env.MEMPALACE_PALACE_PATH = join(env.home, 'nowhere');
    expect(await told(env, input('s2'))).toBe('');
    expect(existsSync(join(env.home, 'nowhere'))).toBe(false);
    expect(await told(env, {})).toBe('');
    expect(await told(env, { session_id: 's3', prompt: ['not', 'text'] })).toBe('');
  });

  it('is filed without what was told', async () => {
    const env = await shopMachine();
    const text = await told(env, input('talk-1'));
    expect(text).toContain(ANSWER);
    const added = { type: 'hook_additional_context', content: [text], hookName: 'UserPromptSubmit' };
    const reminder = `<system-reminder>\nUserPromptSubmit hook additional context: ${text}\n</system-reminder>`;
    const talks = env.project('.claude/projects/-code-shop', {
      'talk-1.jsonl': [
        turn('user', `${QUESTION} Zebra.`),
        `${JSON.stringify({ type: 'attachment', uuid: 'a', sessionId: 'talk-1', cwd: '/code/shop', timestamp: '2026-03-02T10:00:01.000Z', attachment: added })}\n`,
        turn('user', text),
        turn('user', reminder),
        turn('assistant', 'As the palace says.'),
      ].join(''),
    });
    await env.json('mempalace', ['mine', talks, '--mode', 'convos']);
    const { stdout } = await env.run('mempalace', ['show', 'claude-code:talk-1']);
    expect(stdout).toContain('Zebra.');
    expect(stdout).toContain('As the palace says.');
    expect(stdout).not.toContain('rounded once');
    expect(stdout).not.toContain('found by search');
  });
});
