import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { filesIn } from '../../support/files-in.js';
import { temporaryFolder } from '../../support/palace.js';
import { readFolder } from '../../support/staged-transcripts.js';

const AT = '2026-03-04T05:06:07.000Z';
/** Records of one session; each is a child of the one before it by default. */
function records(sessionId: string, rows: readonly object[]): string {
  let parentUuid: string | null = null;
  return rows
    .map((row, index) => {
      const uuid = `${sessionId}-${index}`;
      const whole = {
        uuid,
        parentUuid,
        sessionId,
        timestamp: AT,
        cwd: '/code/shop',
        version: '0.24.4',
        ...row,
      };
      parentUuid = whole.uuid;
      return `${JSON.stringify(whole)}\n`;
    })
    .join('');
}
const user = (text: string, more: object = {}) => ({
  type: 'user',
  message: { role: 'user', parts: [{ text }] },
  ...more,
});
const model = (text: string) => ({ type: 'assistant', message: { role: 'model', parts: [{ text }] } });
const system = (subtype: string, systemPayload: object, more: object = {}) => ({
  type: 'system',
  subtype,
  systemPayload,
  ...more,
});

async function read(files: Record<string, string>, minMessages?: number) {
  const home = filesIn(files, join(temporaryFolder(), '.qwen/projects/-code-shop/chats'));
  return (await readFolder(home, minMessages)).conversations;
}

describe('a session of Qwen Code', () => {
  it('rewound messages are kept and marked, do not count, and give no title', async () => {
    const file = records('s1', [
      user('Hello'),
      user('The first try'),
      model('No.'),
      system('rewind', { truncatedCount: 2 }, { parentUuid: 's1-0' }),
      user('Which port?'),
    ]);
    const [one] = (await read({ 's1.jsonl': file })).values();
    expect(one?.blocks.map(({ text }) => text)).toEqual([
      'Hello',
      'The first try',
      'No.',
      `[rewound: the messages since ${AT} were taken back]`,
      'Which port?',
    ]);
    expect((await read({ 's1.jsonl': file }, 3)).size).toBe(0);
    expect((await read({ 's1.jsonl': file }, 2)).size).toBe(1);
  });

  it('a compression gives its summary, without the messages that it kept', async () => {
    const content = (role: string, text: string) => ({ role, parts: [{ text }] });
    const [one] = (
      await read({
        's1.jsonl': records('s1', [
          user('Which port?'),
          model('8443.'),
          system('slash_command', { phase: 'invocation', rawCommand: '/compress' }),
          system('chat_compression', {
            info: {},
            compressedHistory: [
              content('user', '<system-reminder>Today</system-reminder>'),
              content('user', 'The port was asked for: 8443.'),
              content('model', 'Got it. Thanks for the additional context!'),
              content('user', 'Which port?'),
              content('model', '8443.'),
            ],
          }),
          system('slash_command', { phase: 'result', rawCommand: '/compress' }),
        ]),
      })
    ).values();
    expect(one?.blocks.map(({ spoken, type, text }) => [spoken, type, text])).toEqual([
      [true, 'text', 'Which port?'],
      [false, 'text', '8443.'],
      [false, 'text', '[command] /compress'],
      [false, 'summary', 'The port was asked for: 8443.'],
    ]);
  });

  it('the user’s title has priority; notes of the program are not the user’s; a retried error counts once', async () => {
    const failed = system('ui_telemetry', {
      uiEvent: { 'event.name': 'qwen-code.api_error', error_message: '400 refused.' },
    });
    const [one] = (
      await read({
        's1.jsonl': records('s1', [
          user('Which port?'),
          system('custom_title', { customTitle: 'Ports', titleSource: 'manual' }),
          system('custom_title', { customTitle: 'About ports', titleSource: 'auto' }),
          user('A task has ended.', { subtype: 'notification', provenance: 'system' }),
          failed,
          failed,
          user('And the host?', { subtype: 'mid_turn_user_message', provenance: 'real_user' }),
          failed,
        ]),
      })
    ).values();
    expect(one?.head.title).toBe('Ports');
    expect(one?.blocks.map(({ spoken, text }) => [spoken, text])).toEqual([
      [true, 'Which port?'],
      [false, 'A task has ended.'],
      [false, '[error] 400 refused.'],
      [true, 'And the host?'],
      [false, '[error] 400 refused.'],
    ]);
  });

  it('a backup next to a session adds only missing records', async () => {
    const whole = records('s1', [user('Which port?'), model('8443.'), user('Sure?')]);
    const cut = whole.split('\n').slice(0, 2).join('\n');
    const found = await read({ 's1.jsonl': whole, 'backup/s1.jsonl': cut });
    expect([...found.keys()]).toEqual(['qwen:s1']);
    expect([...found.values()][0]?.blocks).toHaveLength(3);
  });
});
