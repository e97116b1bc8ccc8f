import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { filesIn } from '../../support/files-in.js';
import { temporaryFolder } from '../../support/palace.js';
import { identityOf, readFolder } from '../../support/staged-transcripts.js';

const AT = '2026-03-04T05:06:07.000Z';
const HEADER = { sessionId: 's1', projectHash: 'h', startTime: AT, lastUpdated: AT, kind: 'main' };
const user = (id: string, ...texts: string[]) => ({
  id,
  timestamp: AT,
  type: 'user',
  content: texts.map((text) => ({ text })),
});
const gemini = (id: string, content: unknown, more: object = {}) => ({
  id,
  timestamp: AT,
  type: 'gemini',
  content,
  ...more,
});
const ran = (id: string, output: string) => ({
  toolCalls: [
    {
      id,
      name: 'run_shell_command',
      args: { command: `run ${id}` },
      status: 'success',
      result: [{ functionResponse: { id, name: 'run_shell_command', response: { output } } }],
    },
  ],
});
const lines = (...records: unknown[]) => records.map((each) => `${JSON.stringify(each)}\n`).join('');

function chats(files: Record<string, string>): string {
  const home = temporaryFolder();
  filesIn(files, join(home, '.gemini/tmp/shop/chats'));
  return home;
}

/** The only conversation and its blocks. */
async function only(files: Record<string, string>, minMessages?: number) {
  const { conversations, skipped } = await readFolder(chats(files), minMessages);
  const [one] = conversations.values();
  if (one === undefined || conversations.size !== 1)
    throw new Error(JSON.stringify([...conversations.keys(), skipped]));
  return { ...one, said: one.blocks.map(({ text }) => text) };
}

const count = (said: readonly string[], text: string) => said.filter((each) => each === text).length;

describe('a session of Gemini CLI', () => {
  it('replaced messages are read once, and text that is only in the earlier version is kept', async () => {
    const { said } = await only({
      'session-a.jsonl': lines(
        HEADER,
        user('u1', 'Which port?'),
        gemini('g1', 'Let me'),
        { $set: { lastUpdated: AT } },
        gemini('g1', 'Let me look.', { thoughts: [{ subject: 'Port', description: 'Ask the file.' }] }),
        gemini('g1', 'Let me look.', ran('c1', 'port = 8443')),
        {
          id: 'r1',
          timestamp: AT,
          type: 'user',
          content: [{ functionResponse: { id: 'c1', name: 'x', response: { output: 'port = 8443' } } }],
        },
        gemini('g2', '8443.'),
      ),
    });
    expect(said).toEqual([
      'Which port?',
      '[reasoning] **Port** Ask the file.',
      'Let me look.',
      '{"command":"run c1"}',
      'port = 8443',
      '8443.',
    ]);
  });

  it('rewound messages are kept and marked, do not count, and give no title', async () => {
    const log = lines(
      HEADER,
      user('u0', 'The first try'),
      gemini('g0', 'No.'),
      { $rewindTo: 'u0' },
      user('u1', 'Which port?'),
      gemini('g1', '8443.'),
    );
    const { said, head, blocks } = await only({ 'session-a.jsonl': log });
    expect(said).toEqual([
      'The first try',
      'No.',
      `[rewound: the messages since ${AT} were taken back]`,
      'Which port?',
      '8443.',
    ]);
    expect(head.title).toBe('Which port?');
    expect(blocks[2]).toMatchObject({ role: 'user', spoken: false });
    const { conversations, skipped } = await readFolder(chats({ 'session-a.jsonl': log }), 3);
    expect(conversations.size).toBe(0);
    expect(skipped).toMatchObject([{ reason: 'fewer than 3 messages' }]);
  });

  it('a rewind to an unknown message rewinds everything', async () => {
    const { said, head } = await only({
      'session-a.jsonl': lines(HEADER, user('u0', 'Once'), { $rewindTo: '?' }, user('u1', 'Again')),
    });
    expect(said).toHaveLength(3);
    expect(head.title).toBe('Again');
  });

  it('messages dropped by a compression are kept; kept turns with new ids are not read again', async () => {
    const { blocks, said } = await only({
      'session-a.jsonl': lines(
        HEADER,
        user('u1', 'Continue'),
        gemini('g1', 'Done.'),
        user('u2', 'Continue'),
        gemini('g2', 'Done.', ran('c2', 'ok')),
        {
          $set: {
            messages: [
              user('n0', '<session_context>\nToday\n</session_context>'),
              user('n1', '<state_snapshot>The port is 8443.</state_snapshot>'),
              gemini('n2', [{ text: 'Got it. Thanks!' }]),
              user('n3', 'Continue'),
              gemini('n4', [{ text: 'Done.' }, { functionCall: { id: 'c2', name: 'x', args: {} } }]),
              {
                id: 'n5',
                timestamp: AT,
                type: 'user',
                content: [{ functionResponse: { id: 'c2', name: 'x', response: { output: 'ok' } } }],
              },
            ],
          },
        },
        user('u3', 'Continue'),
      ),
    });
    expect(count(said, 'Continue')).toBe(3);
    expect(count(said, 'Done.')).toBe(2);
    expect(count(said, 'ok')).toBe(1);
    expect(said.some((each) => /Got it|Today/.test(each))).toBe(false);
    expect(blocks.filter(({ type }) => type === 'summary').map(({ text }) => text)).toEqual([
      '<state_snapshot>The port is 8443.</state_snapshot>',
    ]);
  });

  it('a list can contain text without a record, which is read from there every time', async () => {
    const { said } = await only({
      'session-a.jsonl': lines(
        HEADER,
        {
          $set: {
            messages: [user('a', 'Continue'), gemini('b', [{ text: 'Done.' }]), user('c', 'Continue')],
          },
        },
        {
          $set: {
            messages: [user('a', 'Continue'), gemini('b', [{ text: 'Done.' }]), user('c', 'Continue')],
          },
        },
      ),
    });
    expect(said).toEqual(['Continue', 'Done.', 'Continue']);
  });

  it('the JSON of an earlier release and the log that continues it are one session', async () => {
    const old = { ...HEADER, messages: [user('u1', 'Which port?'), gemini('g1', '8443.')] };
    const { said } = await only({
      'session-a.json': JSON.stringify(old, undefined, 2),
      'session-a.jsonl': lines(HEADER, ...old.messages, { $set: { sessionId: 's1' } }, user('u2', 'Sure?')),
      'session-b.jsonl': lines(HEADER, {
        $set: { messages: [user('x', '<session_context>\n…\n</session_context>')] },
      }),
    });
    expect(said).toEqual(['Which port?', '8443.', 'Sure?']);
  });

  it('text that hooks add to a question is not the user’s; errors are marked', async () => {
    const { blocks } = await only({
      'session-a.jsonl': lines(
        HEADER,
        user('u1', '<hook_context>Recall the port.</hook_context>\n\nWhich port?'),
        { id: 'i', timestamp: AT, type: 'info', content: 'Update available' },
        { id: 'e', timestamp: AT, type: 'error', content: 'The request was refused.' },
        gemini('g1', '', ran('c1', 'no such file\nExit Code: 1')),
      ),
    });
    expect(blocks.map(({ type, text }) => [type, text])).toEqual([
      ['text', 'Which port?'],
      ['text', '[error] The request was refused.'],
      ['tool_use', '{"command":"run c1"}'],
      ['error', 'no such file\nExit Code: 1'],
    ]);
  });

  it('sessions of Gemini as MemPalace recognises them', async () => {
    const home = chats({
      'talk.jsonl': lines(
        { type: 'session_metadata', sessionId: 'm1', projectHash: 'h', startTime: AT },
        { type: 'user', content: [{ text: 'Which port?' }] },
        { type: 'gemini', content: [{ text: '8443.' }] },
        { type: 'message_update', tokens: {} },
        { type: 'user', content: 'Thanks.' },
      ),
    });
    const { conversations } = await readFolder(home);
    expect([...conversations.keys()]).toEqual(['gemini:m1']);
    const [one] = conversations.values();
    expect(one?.blocks.map(({ text }) => text)).toEqual(['Which port?', '8443.', 'Thanks.']);
    expect(one?.problems).toEqual([]);
  });

  it('a truncated session of one JSON value is named', async () => {
    const cut = JSON.stringify({ ...HEADER, messages: [user('u1', 'Which port?')] }, undefined, 2).slice(
      0,
      -20,
    );
    const { conversations, skipped } = await readFolder(chats({ 'session-a.json': cut }));
    expect(conversations.size).toBe(0);
    expect(skipped).toMatchObject([{ reason: 'unreadable', problem: true }]);
    expect(skipped[0]?.detail).toContain('not JSON');
  });

  it('a log without a readable line is named', async () => {
    const cut = lines(HEADER).slice(0, -20);
    const { conversations, skipped } = await readFolder(chats({ 'session-a.jsonl': cut }), 1);
    expect(conversations.size).toBe(0);
    expect(skipped).toMatchObject([{ reason: 'unreadable lines', problem: true }]);
    expect(skipped[0]?.origin).toMatch(/session-a\.jsonl$/);
  });

  it('is recognised by its header', async () => {
    const home = chats({ 'session-a.jsonl': lines(HEADER, user('u1', 'Hi')) });
    writeFileSync(join(home, '.gemini/tmp/shop/.project_root'), '/code/shop');
    expect(await identityOf(join(home, '.gemini/tmp/shop/chats/session-a.jsonl'))).toMatchObject({
      by: 'gemini',
      sessionId: 's1',
      cwd: '/code/shop',
      begun: AT,
    });
  });
});
