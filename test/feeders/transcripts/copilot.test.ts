import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { filesIn } from '../../support/files-in.js';
import { temporaryFolder } from '../../support/palace.js';
import { readFolder } from '../../support/staged-transcripts.js';

const AT = '2026-03-04T05:06:07.000Z';
let ids = 0;
const event = (type: string, data: object, more: object = {}) => {
  ids += 1;
  return { type, data, id: `e${ids}`, timestamp: AT, parentId: null, ...more };
};
const START = event('session.start', { sessionId: 's1', startTime: AT, context: { cwd: '/code/shop' } });
const asks = (content: string, more: object = {}) => event('user.message', { content, ...more });
const says = (content: string, toolRequests: object[] = []) =>
  event('assistant.message', { content, toolRequests });

async function read(records: readonly unknown[], minMessages?: number, workspace?: string) {
  const folder = join(temporaryFolder(), '.copilot/session-state/s1');
  const more: Record<string, string> = workspace === undefined ? {} : { 'workspace.yaml': workspace };
  return readFolder(filesIn({ 'events.jsonl': records, ...more }, folder), minMessages);
}

describe('a session of Copilot CLI', () => {
  it('calls are read once, failures are errors, and generated prompts are not the user’s', async () => {
    const { conversations } = await read([
      START,
      asks('Which port?', { transformedContent: '<current_datetime>now</current_datetime> Which port?' }),
      says('Let me look.', [{ toolCallId: 'c1', name: 'bash', arguments: { command: 'cat conf' } }]),
      event('tool.execution_start', {
        toolCallId: 'c1',
        toolName: 'bash',
        arguments: { command: 'cat conf' },
      }),
      event('tool.execution_complete', {
        toolCallId: 'c1',
        success: true,
        result: { content: 'no such file' },
        shellExecution: { exitCode: 1 },
      }),
      event('tool.execution_complete', {
        toolCallId: 'c2',
        success: false,
        error: { message: 'No such tool.' },
      }),
      event('session.error', { message: 'The request was refused.', statusCode: 400 }),
      event('session.compaction_complete', { success: true, summaryContent: 'A port is wanted.' }),
      asks('A task has ended.', { source: 'system' }),
    ]);
    const [one] = conversations.values();
    expect([...conversations.keys()]).toEqual(['copilot:s1']);
    expect(one?.blocks.map(({ spoken, type, text }) => [spoken, type, text])).toEqual([
      [true, 'text', 'Which port?'],
      [false, 'text', 'Let me look.'],
      [false, 'tool_use', '{"command":"cat conf"}'],
      [false, 'error', 'no such file'],
      [false, 'error', 'No such tool.'],
      [false, 'text', '[error] The request was refused.'],
      [false, 'summary', 'A port is wanted.'],
      [false, 'text', 'A task has ended.'],
    ]);
    expect(one?.head.cwd).toBe('/code/shop');
  });

  it('rewound messages are kept and marked, and do not count', async () => {
    const first = asks('The first try');
    const records = [
      START,
      first,
      says('No.'),
      event('session.snapshot_rewind', { upToEventId: first.id, eventsRemoved: 2 }),
      event('session.snapshot_rewind', { upToEventId: 'gone', eventsRemoved: 2 }),
      asks('Which port?'),
      says('8443.'),
    ];
    const { conversations } = await read(records);
    const [one] = conversations.values();
    expect(one?.blocks.map(({ text }) => text)).toEqual([
      'The first try',
      'No.',
      `[rewound: the messages since ${AT} were taken back]`,
      'Which port?',
      '8443.',
    ]);
    expect(one?.head.title).toBe('Which port?');
    expect((await read(records, 3)).conversations.size).toBe(0);
  });

  it('a sub-agent belongs to its session, without a minimum of messages', async () => {
    const records = [
      START,
      asks('Survey the shop'),
      event(
        'subagent.started',
        { agentDisplayName: 'survey', agentDescription: 'Look around' },
        { agentId: 'a1' },
      ),
      event('user.message', { content: 'List the files.', source: 'agent-s1' }, { agentId: 'a1' }),
      event('assistant.message', { content: 'Two files.' }, { agentId: 'a1' }),
      says('There are two.'),
      asks('Thanks'),
    ];
    const { conversations } = await read(records, 3, 'id: s1\ncwd: /code/other\nname: The shop\n');
    expect([...conversations].map(([key, { head }]) => [key, head.title, head.cwd])).toEqual([
      ['copilot:s1', 'The shop', '/code/other'],
      ['copilot:s1/a1', 'Look around', '/code/other'],
    ]);
    expect(conversations.get('copilot:s1/a1')?.blocks.map(({ text }) => text)).toEqual([
      'List the files.',
      'Two files.',
    ]);
  });
});
