import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { kimi } from '../../../src/feeders/transcripts/harnesses/kimi.js';
import { filesIn } from '../../support/files-in.js';
import { kimiFiles, wire } from '../../support/kimi.js';
import { temporaryFolder } from '../../support/palace.js';
import { identityOf, readTranscript } from '../../support/staged-transcripts.js';

function written(files: Record<string, string | readonly unknown[]>): (name: string) => string {
  const home = filesIn(files, join(temporaryFolder(), '.kimi'));
  return (name) => join(home, Object.keys(files).find((each) => each.endsWith(name)) ?? name);
}

const read = (records: readonly unknown[]) =>
  readTranscript(written({ 'sessions/h/s/wire.jsonl': records })('wire.jsonl'));

const RECORDS = [
  { type: 'metadata', protocol_version: '1.10' },
  wire('TurnBegin', {
    user_input: [
      { type: 'text', text: 'Which port?' },
      { type: 'image_url', image_url: { url: 'data:x' } },
    ],
  }),
  wire('StepBegin', { n: 1 }),
  wire('ContentPart', { type: 'think', think: 'Look it up.', encrypted: null }),
  wire('ToolCall', {
    type: 'function',
    id: 't1',
    function: { name: 'Shell', arguments: '{"command":"grep port conf"}' },
    extras: null,
  }),
  wire('ApprovalRequest', {
    id: 'r',
    tool_call_id: 't1',
    sender: 'Shell',
    action: 'run',
    description: 'grep',
  }),
  wire('ToolResult', {
    tool_call_id: 't1',
    return_value: {
      is_error: true,
      output: 'no such file',
      message: 'Command failed with exit code: 2.',
      display: [],
    },
  }),
  wire('SubagentEvent', {
    parent_tool_call_id: 't2',
    agent_id: 'a1',
    event: { type: 'ContentPart', payload: { type: 'text', text: 'Kept in a file of its own.' } },
  }),
  wire('SubagentEvent', {
    task_tool_call_id: 't2',
    event: { type: 'TurnBegin', payload: { user_input: 'Count the ships.' } },
  }),
  wire('PlanDisplay', { content: 'First the proxy.', file_path: '/p.md' }),
  wire('SteerInput', { user_input: 'And the host?' }),
  wire('ContentPart', { type: 'text', text: 'The zebra gateway, 8443.' }),
  wire('ContentPart', { type: 'riddle' }),
  wire('StatusUpdate', { context_usage: 0.1 }),
  wire('ToolResult', { tool_call_id: 't3' }),
  wire('TurnEnd', {}),
];

describe('a session of Kimi CLI', () => {
  it('is read whole: questions, thoughts, calls, results, plans, and an old version’s sub-agents', async () => {
    const { text, problems, dates } = await read(RECORDS);
    for (const part of [
      'Which port?',
      '[image]',
      '[reasoning] Look it up.',
      'grep port conf',
      'no such file',
      'exit code: 2',
      'Count the ships.',
      'First the proxy.',
      'And the host?',
      'The zebra gateway, 8443.',
    ])
      expect(text).toContain(part);
    expect(text).not.toContain('a file of its own');
    expect(text).not.toContain('data:x');
    for (const type of ['StatusUpdate', 'context_usage', 'riddle', 'metadata'])
      expect(text).not.toContain(type);
    expect(problems).toEqual(['line 15: ToolResult without its required fields']);
    expect(dates).toEqual(['2026-03-04']);
  });

  it('is recognised by its path, and Kimi’s metadata give its folder and title', async () => {
    const path = written(kimiFiles('/code/shop', 'talk-1', ['Which port?', '8443.'], ['Read.', 'Done.']));
    expect(await identityOf(path('talk-1/wire.jsonl'))).toEqual({
      by: 'kimi',
      sessionId: 'talk-1',
      agentId: undefined,
      cwd: '/code/shop',
      begun: '2026-03-04T05:06:07.250Z',
    });
    expect((await readTranscript(path('talk-1/wire.jsonl'))).head.title).toBe('About talk-1');
    expect(await identityOf(path('a1/wire.jsonl'))).toMatchObject({
      by: 'kimi',
      sessionId: 'talk-1',
      agentId: 'a1',
      cwd: '/code/shop',
    });
  });

  it('has no text in model messages that is not in its events', () => {
    const names = new Set([
      'h/s/wire.jsonl',
      'h/s/context.jsonl',
      'h/s/context_2.jsonl',
      'h/t/context.jsonl',
      'context.jsonl',
    ]);
    expect([...names].filter((name) => !kimi.isTranscript?.(name, (other) => names.has(other)))).toEqual([
      'h/s/context.jsonl',
      'h/s/context_2.jsonl',
    ]);
  });
});
