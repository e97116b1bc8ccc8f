import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { filesIn } from '../../support/files-in.js';
import { temporaryFolder } from '../../support/palace.js';
import { identityOf, readFolder } from '../../support/staged-transcripts.js';

const TIME = Date.parse('2026-03-04T05:06:07.000Z');
let time = TIME;
const record = (type: string, more: object = {}) => {
  time += 1000;
  return { type, ...more, time };
};
const prompt = (text: string, kind = 'user') => [
  record('turn.prompt', { input: [{ type: 'text', text }], origin: { kind }, promptId: `p${time}` }),
  record('context.append_message', {
    message: { role: 'user', content: [{ type: 'text', text }], origin: { kind } },
  }),
];
const event = (event: object) => record('context.append_loop_event', { event });
const says = (text: string) =>
  event({ type: 'content.part', uuid: `e${time}`, part: { type: 'text', text } });

function session(records: unknown[], state: object = { id: 's1', cwd: '/code/shop' }): string {
  const home = join(temporaryFolder(), '.kimi-code/sessions/wd_shop/s1');
  const wire = [{ type: 'metadata', protocol_version: '1.5', created_at: TIME }, ...records];
  filesIn({ 'agents/main/wire.jsonl': wire, 'state.json': [state] }, home);
  return join(home, 'agents/main/wire.jsonl');
}

async function read(records: unknown[], minMessages?: number) {
  const { conversations } = await readFolder(dirname(session(records)), minMessages);
  return [...conversations.values()][0];
}

describe('a session of Kimi Code', () => {
  it('is recognised by its folder and the state file next to it', async () => {
    const path = session(prompt('Hi'), {
      id: 's9',
      cwd: '/code/shop',
      forkedFrom: 's1',
      createdAt: TIME + 5000,
    });
    expect(await identityOf(path)).toMatchObject({
      by: 'kimi-code',
      sessionId: 's9',
      cwd: '/code/shop',
      begun: '2026-03-04T05:06:12.000Z',
      copiedFrom: ['s1'],
    });
  });

  it('undone messages are kept and marked, and do not count', async () => {
    const records = [
      ...prompt('The first try'),
      says('No.'),
      record('agent.switched', { branch: 'b1' }),
      record('context.undo', { count: 1 }),
      record('context.undone', { turns: 1 }),
      ...prompt('Which port?'),
      says('8443.'),
    ];
    const found = await read(records);
    expect(found?.head.title).toBe('Which port?');
    const texts = found?.blocks.map(({ text }) => text) ?? [];
    expect(texts[2]).toMatch(/^\[rewound: the messages since 2026-.* were taken back\]$/);
    expect(texts.filter((_, index) => index !== 2)).toEqual(['The first try', 'No.', 'Which port?', '8443.']);
    expect(await read(records, 3)).toBeUndefined();
  });

  it('a prompt is read once, even if it is repeated; text of the program is not the user’s', async () => {
    const found = await read([
      ...prompt('Continue'),
      says('Done.'),
      ...prompt('Continue'),
      record('context.append_message', {
        message: {
          role: 'user',
          content: [{ type: 'text', text: 'Be careful.' }],
          origin: { kind: 'injection' },
        },
      }),
      ...prompt('A task has ended.', 'system_trigger'),
    ]);
    expect(found?.blocks.map(({ spoken, text }) => [spoken, text])).toEqual([
      [true, 'Continue'],
      [false, 'Done.'],
      [true, 'Continue'],
      [false, 'A task has ended.'],
    ]);
  });

  it('a failed request is named once, and a failed tool is an error', async () => {
    const found = await read([
      ...prompt('Which port?'),
      event({
        type: 'tool.call',
        uuid: 'c',
        stepUuid: 's',
        toolCallId: 'c',
        name: 'Bash',
        args: { command: 'x' },
      }),
      event({
        type: 'tool.result',
        parentUuid: 'c',
        toolCallId: 'c',
        result: { output: 'no such file', isError: true },
      }),
      record('turn.step.interrupted', { reason: 'error', message: 'The request was refused.' }),
      record('turn.ended', { reason: 'failed', error: { code: 'x', message: 'The request was refused.' } }),
    ]);
    expect(found?.blocks.map(({ type, text }) => [type, text])).toEqual([
      ['text', 'Which port?'],
      ['tool_use', '{"command":"x"}'],
      ['error', 'no such file'],
      ['text', '[error] The request was refused.'],
    ]);
    expect(found?.text).toContain('[result: error]');
  });

  it('an unreadable record is named, and the rest is read', async () => {
    const found = await read([...prompt('Which port?'), record('turn.prompt', {}), says('8443.')]);
    expect(found?.problems).toEqual(['line 4: turn.prompt without its required fields']);
    expect(found?.text).toContain('8443.');
  });
});
