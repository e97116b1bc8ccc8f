import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { deflateRawSync, inflateRawSync } from 'node:zlib';
import Database from 'better-sqlite3';
import { expect, it } from 'vitest';
import { palaceFile } from '../../src/store/index.js';
import { exchange, type MessagePlan } from '../support/opencode-database.js';
import { filledMachine } from '../support/real-palace.js';
import { NONE, verified } from '../support/verified.js';

const filledEnv = filledMachine();

const FORK = 'ses_0000000002forks';
const PORTS = 'ses_0000000003ports';

const RICH = 'ses_0000000008rich';
const tool = (callID: string, output: string) => ({
  type: 'tool',
  tool: 'bash',
  callID,
  state: { status: 'completed', input: { command: `run ${callID}`, more: ['a', 'b'] }, output },
});
/** The only changes that a transcript may make to a message. */
const RICH_MESSAGES: MessagePlan[] = [
  { role: 'user', parts: ['"Which \\"port\\"?"', `the key is AKIA${'QWERTYUIOP234567'}`] },
  {
    role: 'assistant',
    parts: [
      { type: 'reasoning', text: 'Half a \ud83d pair' },
      tool('call_1', 'line\n'.repeat(3_000)),
      tool('call_2', ''),
      'Two\n\n\nparagraphs  ',
    ],
    data: { error: { name: 'MessageAbortedError', data: { message: 'aborted' } } },
  },
  { role: 'user', parts: ['Again.'] },
];

/** Changes the stored text of a session, as a failing disk would. */
function corrupt(palace: string, from: string, to: string): void {
  const raw = new Database(palaceFile(palace));
  const row = raw
    .prepare<[string], { id: number; body: Buffer }>(
      `SELECT t.rowid AS id, t.body FROM source_texts t JOIN sources s ON s.id = t.source_id
       WHERE s.source_key = ?`,
    )
    .get(`opencode:${PORTS}`);
  const text = inflateRawSync(row?.body ?? Buffer.alloc(0)).toString();
  expect(text).toContain(from);
  raw
    .prepare('UPDATE source_texts SET body = ? WHERE rowid = ?')
    .run(deflateRawSync(text.replace(from, to)), row?.id);
  raw.close();
}

it('finds palace and sources in agreement, and detects text lost from the palace', async () => {
  const { env, shop, history } = await filledEnv();
  const before = env.fingerprint();
  expect(await verified(env)).toMatchObject({
    sessions: { ...NONE, ok: 3 },
    documents: { ...NONE, ok: 3 },
    parts: 10,
    missing_parts: 0,
    findings: [],
    removed: null,
  });
  expect(await verified(env, ['--docs', shop])).toMatchObject({ documents: { ok: 2 }, sessions: { ok: 0 } });
  expect(env.fingerprint()).toBe(before);
  // The fork depends on its original, with and without the cache.
  rmSync(env.cache, { recursive: true });
  expect(await verified(env, ['--session', FORK])).toMatchObject({ sessions: { ok: 1 }, parts: 2 });
  const words = await env.run('mempalace', ['verify']);
  expect(words.stdout).toContain('wing_conversations\t3 ok');
  expect(words.stdout).toContain('10 parts of filed sessions: all are filed');

  corrupt(env.palace, '443 needs root.', '443 needs boot.');
  const { findings } = await verified(env, [], 3);
  expect(findings).toMatchObject([
    { status: 'stale', source_key: `opencode:${PORTS}`, missing_parts: [{ kind: 'text' }] },
  ]);
  expect(findings[0]?.detail).toContain('not what was filed');
  await env.json('mempalace-session', ['--session', PORTS, '--force']);
  expect((await verified(env)).findings).toEqual([]);
  history.close();
});

it('names missing, stale, orphaned and forgotten sources, and every unfiled part', async () => {
  const { env, shop, history } = await filledEnv();
  const record = (type: string, content: string) =>
    `${JSON.stringify({
      type,
      uuid: `u${content}`,
      sessionId: 'talk-1',
      cwd: '/p',
      timestamp: '2026-03-02T10:00:00.000Z',
      message: { role: type, content },
    })}\n`;
  const talk = record('user', 'Which port?') + record('assistant', '8443.');
  const talks = env.project('talks', { 'one.jsonl': talk });
  await env.json('mempalace', ['mine', talks, '--mode', 'convos']);
  history.addSession({ id: RICH, messages: RICH_MESSAGES });
  await env.json('mempalace-session', []);
  history.database.prepare("UPDATE session SET title = 'Another' WHERE id = ?").run(RICH);
  writeFileSync(join(talks, 'one.jsonl'), talk + record('user', 'Why?'));
  history.addSession({ id: 'ses_0000000009fresh', messages: [...exchange('a', 'b'), ...exchange('c', 'd')] });
  history.addSession({ id: 'ses_0000000010short', messages: exchange('too', 'short') });
  history.addMessage(PORTS, {
    id: 'msg_9',
    role: 'user',
    at: Date.UTC(2026, 2, 9),
    parts: [{ raw: JSON.stringify({ type: 'text', text: 'And 9443?' }), id: 'prt_9' }],
  });
  await env.json('mempalace', ['forget', '--session', FORK, '--yes']);
  writeFileSync(join(shop, 'docs/fresh.md'), '# Fresh\n');
  env.edit(join(shop, 'README.md'), '# Shop\n\nSells candles.\n');
  rmSync(join(shop, 'docs/handbook.md'));
  const result = await verified(env, [], 3);
  expect(result).toMatchObject({
    sessions: { ...NONE, ok: 1, missing: 1, stale: 3, forgotten: 1 },
    documents: { ...NONE, ok: 1, missing: 1, stale: 1, orphaned: 1 },
    missing_parts: 1,
  });
  // A session that is not filed is in no wing of documents.
  expect(await verified(env, ['--wing', 'wing_shop'], 3)).toMatchObject({ sessions: NONE });
  expect(result.findings.find(({ source_key }) => source_key === `opencode:${PORTS}`)).toMatchObject({
    status: 'stale',
    detail: expect.stringContaining('changed since it was filed'),
    missing_parts: [{ message: 'msg_9', part: 'prt_9', kind: 'text' }],
  });
  // Its header differs, and all its text is filed.
  expect(result.findings.find(({ source_key }) => source_key === `opencode:${RICH}`)).toMatchObject({
    status: 'stale',
    parts: 8,
    missing_parts: [],
  });
  const words = await env.run('mempalace', ['verify', '--session', PORTS]);
  expect(words).toMatchObject({
    exitCode: 3,
    stdout: expect.stringContaining('not filed: text prt_9 of message msg_9'),
  });
  await env.json('mempalace-session', []);
  await env.json('mempalace-docs', [shop]);
  // Programs delete their old transcripts: these are not orphans, and not a reason for an alarm.
  rmSync(talks, { recursive: true });
  expect(await verified(env)).toMatchObject({
    sessions: { ...NONE, ok: 4, not_checked: 1, forgotten: 1 },
    documents: { ...NONE, ok: 3 },
  });
  history.close();
});

it('does not confirm a session with rows that are unreadable or of a later format', async () => {
  const { env, history } = await filledEnv();
  history.addSession({
    id: 'ses_0000000009later',
    messages: [
      ...exchange('Which lamp?', 'The left one.'),
      { parts: [{ type: 'prose', text: 'And which of them at night?' }] },
      { parts: ['And by day?', { raw: '{"type":"text"', id: 'prt_0000000009cut' }] },
    ],
  });
  await env.json('mempalace-session', [], 3);
  const { sessions, findings } = await verified(env, [], 3);
  expect(sessions).toEqual({ ...NONE, ok: 3, not_checked: 1 });
  expect(findings[0]?.detail).toBe('rows that do not parse: 1, messages of an unknown form: 1');
  history.close();
});
