import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect } from 'vitest';
import { joinedDrawers } from '../support/drawers.js';
import { it } from '../support/it-env.js';
import { exchange, OpencodeDatabase, START_MS } from '../support/opencode-database.js';
import { answered, asked, Opencode2Database, SESSIONS_2 } from '../support/opencode2-database.js';
import { TestEnv } from '../support/test-env.js';

function pathIn(env: TestEnv): string {
  const path = join(env.home, '.local/share/opencode/opencode.db');
  mkdirSync(dirname(path), { recursive: true });
  return path;
}

const opencodeLine = async (env: TestEnv): Promise<string> => {
  const { stdout } = await env.run('mempalace', ['doctor']);
  return stdout.split('\n').find((line) => line.includes('opencode.db')) ?? '';
};

it('an upgraded database is filed, verified, and filed again when it grows', async ({ env }) => {
  const path = pathIn(env);
  const old = new OpencodeDatabase(path);
  old.addSession({
    id: 'ses_a',
    messages: [...exchange('Which port?', 'Port 8443.'), { parts: ['Thanks'] }],
  });
  old.close();
  const run = () => env.json('mempalace-session', ['--min-messages', '1']);
  expect(await run()).toMatchObject({ new: 1 });
  // The user upgrades: the session is copied with new ids and more thoughts, and goes on.
  const live = new Opencode2Database(path);
  const thought = { type: 'reasoning', text: 'Look it up.' };
  const copied = [asked('Which port?'), answered(thought, 'Port 8443.'), asked('Thanks')];
  live.addSession('ses_a', [...copied, answered('You are welcome.')]);
  const edit = {
    status: 'completed',
    input: { path: '/home/dev/shop/cart.ts' },
    content: [{ type: 'text', text: 'ok' }],
  };
  live.addSession('ses_b', [
    asked('Change it'),
    answered({ type: 'tool', id: 'call_1', name: 'edit', state: edit }),
  ]);
  expect(await run()).toMatchObject({ new: 1, changed: 1, problems: [] });
  const texts = joinedDrawers(env.palace);
  expect(texts.get('opencode:ses_a')?.match(/Port 8443\./g)).toHaveLength(1);
  expect(texts.get('opencode:ses_a')).toContain('You are welcome.');
  live.addMessages('ses_b', [answered('Changed.')]);
  expect(await run()).toMatchObject({ new: 0, changed: 1, unchanged: 1 });
  expect(joinedDrawers(env.palace).get('opencode:ses_b')).toContain('Changed.');
  const verified = await env.run('mempalace', ['verify']);
  expect(verified.exitCode).toBe(0);
  expect(verified.stdout).not.toContain('kept');
  expect(await opencodeLine(env)).toMatch(/^ok .* 2 sessions can be read in /);
  const touched = await env.run('mempalace', ['file', '/home/dev/shop/cart.ts']);
  expect(`${touched.stdout}${touched.stderr}`).toContain('ses_b');
  live.close();
});

it.each([
  ['alone', [SESSIONS_2, 'CREATE TABLE session_entry (id, session_id, payload)']],
  ['beside sessions of 1.x', ['CREATE TABLE session_entry (id, session_id, payload)']],
])(
  'messages in tables of a later form are named, %s: exit code 3, and doctor is not ok',
  async (what, tables) => {
    const env = new TestEnv();
    const path = pathIn(env);
    if (what !== 'alone') {
      const old = new OpencodeDatabase(path);
      old.addSession({ title: 'Old', messages: exchange('Which port?', 'Port 8443.') });
      old.close();
    }
    const live = new Opencode2Database(path, tables.join(';'));
    live.database.exec("INSERT INTO session_entry VALUES (1, 'ses_new', '{}')");
    live.close();
    const { stderr, exitCode } = await env.run('mempalace-session', ['--min-messages', '1']);
    expect(stderr).toMatch(/session_entry.*update mempalace-toolkit/);
    expect(exitCode).toBe(3);
    expect(joinedDrawers(env.palace).size).toBe(what === 'alone' ? 0 : 1);
    expect(await opencodeLine(env)).toMatch(/^fail/);
  },
);

it('the whole of an output stays when opencode removes its file, and verify agrees', async ({ env }) => {
  const path = pathIn(env);
  const file = join(dirname(path), 'tool-output', 'tool_1');
  mkdirSync(dirname(file));
  writeFileSync(file, Array.from({ length: 60 }, (_, row) => `row ${row} of many\n`).join(''));
  const live = new OpencodeDatabase(path);
  const state = { status: 'completed', input: { command: 'rows' }, output: 'row 59 of many' };
  const metadata = { truncated: true, outputPath: file };
  const call = { type: 'tool', callID: 'call_1', tool: 'bash', state: { ...state, metadata } };
  live.addSession({ id: 'ses_a', messages: [{ parts: ['Q'] }, { role: 'assistant', parts: [call] }] });
  await env.json('mempalace-session', ['--min-messages', '1']);
  rmSync(file);
  const verified = await env.run('mempalace', ['verify']);
  expect(verified.stdout).toContain('agree');
  expect(verified.exitCode).toBe(0);
  expect(await env.json('mempalace-session', ['--min-messages', '1'])).toMatchObject({ unchanged: 1 });
  // The session goes on: nothing is lost, nothing is filed twice.
  live.addMessage('ses_a', { at: START_MS + 9e6, parts: ['And then?'] });
  live.close();
  expect(await env.json('mempalace-session', ['--min-messages', '1'])).toMatchObject({
    changed: 1,
    problems: [],
  });
  const text = joinedDrawers(env.palace).get('opencode:ses_a');
  expect(text).toContain('And then?');
  expect(text?.match(/row 30 of many/g)).toHaveLength(1);
  expect(text).not.toContain('whole in');
  const again = await env.run('mempalace', ['verify']);
  expect(again.stdout).toContain('agree');
  expect(`${again.stdout}${again.stderr}`).not.toContain('kept');
});
