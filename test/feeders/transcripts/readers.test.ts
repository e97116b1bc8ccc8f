import { describe, expect, it } from 'vitest';
import { withFile } from '../../miner/read/transcripts.js';
import { identityOf, readTranscript } from '../../support/staged-transcripts.js';

const AT = '2026-03-04T05:06:07.000Z';
const lines = (records: readonly unknown[]) => records.map((each) => JSON.stringify(each));

/** The filed text, and the parts that were left out or unreadable. */
const read = (records: readonly unknown[]) => withFile(lines(records), readTranscript);

const codex = (type: string, payload: unknown) => ({ timestamp: AT, type, payload });
const item = (payload: unknown) => codex('response_item', payload);
const message = (role: string, type: string, text: string) =>
  item({ type: 'message', role, content: [{ type, text }] });

const CODEX = [
  codex('session_meta', { id: '019a-7', timestamp: AT, cwd: '/code/shop', cli_version: '0.46.0' }),
  message('developer', 'input_text', 'Rules of the house.'),
  message('user', 'input_text', '<environment_context>\n<cwd>/code/shop</cwd>\n</environment_context>'),
  message('user', 'input_text', 'Add a greeting, please.'),
  codex('event_msg', { type: 'user_message', message: 'Add a greeting, please.' }),
  codex('turn_context', { cwd: '/code/shop' }),
  item({
    type: 'reasoning',
    summary: [{ type: 'summary_text', text: 'Look first.' }],
    content: null,
    encrypted_content: 'gAAA',
  }),
  item({
    type: 'function_call',
    name: 'shell',
    arguments: '{"command":["bash","-lc","ls src"],"workdir":"/code/shop"}',
    call_id: 'c1',
  }),
  item({
    type: 'function_call_output',
    call_id: 'c1',
    output: '{"output":"no such folder\\n","metadata":{"exit_code":2}}',
  }),
  item({
    type: 'custom_tool_call',
    status: 'completed',
    call_id: 'c2',
    name: 'apply_patch',
    input: '*** Begin Patch\n*** Add File: hello.txt\n+Hello from Codex\n*** End Patch',
  }),
  item({ type: 'custom_tool_call_output', call_id: 'c2', output: 'Success. A hello.txt' }),
  message('assistant', 'output_text', 'Done: hello.txt greets.'),
  codex('event_msg', { type: 'agent_message', message: 'Done: hello.txt greets.' }),
  codex('compacted', { message: 'The user wanted a greeting.' }),
];

describe('a rollout of Codex', () => {
  it('is read in full: calls, patches, results, reasoning, summaries; each once', async () => {
    const { text, problems, contexts } = await read(CODEX);
    expect(problems).toEqual([]);
    const order = [
      'Add a greeting, please.',
      '[reasoning] Look first.',
      '[tool shell]',
      'ls src',
      '[result: error]\nno such folder',
      '[tool apply_patch]',
      '+Hello from Codex',
      '[result]\nSuccess. A hello.txt',
      'Done: hello.txt greets.',
      '[summary] The user wanted a greeting.',
    ];
    expect(order.map((part) => text.indexOf(part)).every((at) => at >= 0)).toBe(true);
    expect([...order].sort((one, other) => text.indexOf(one) - text.indexOf(other))).toEqual(order);
    expect(text.split('Add a greeting, please.')).toHaveLength(2);
    expect(text.split('Done: hello.txt greets.')).toHaveLength(2);
    expect(text).not.toContain('gAAA');
    expect(text).not.toContain('Rules of the house.');
    // Codex's own text with the role of the user starts no exchange.
    expect(contexts).toEqual(expect.arrayContaining(['Add a greeting, please.']));
    expect(contexts.some((context) => context.includes('environment_context'))).toBe(false);
  });

  it('names its harness', async () => {
    expect(await withFile(lines(CODEX), identityOf)).toMatchObject({
      by: 'codex',
      sessionId: '019a-7',
      cwd: '/code/shop',
      begun: AT,
    });
  });
});

const pi = (id: string, more: Record<string, unknown>) => ({ id, parentId: null, timestamp: AT, ...more });
const talk = (id: string, said: Record<string, unknown>) => pi(id, { type: 'message', message: said });
const PI = [
  { type: 'session', version: 3, id: 'pi-1', timestamp: AT, cwd: '/code/shop' },
  talk('a', { role: 'user', content: 'Which port?' }),
  talk('b', {
    role: 'assistant',
    content: [
      { type: 'thinking', thinking: 'Ask the config.' },
      { type: 'text', text: 'Let me look.' },
      { type: 'toolCall', id: 't1', name: 'edit', arguments: { path: 'a.ts', newText: 'port = 8443' } },
    ],
  }),
  talk('c', {
    role: 'toolResult',
    toolCallId: 't1',
    toolName: 'edit',
    content: [{ type: 'text', text: 'Edited a.ts' }],
    isError: false,
  }),
  talk('d', { role: 'bashExecution', command: 'git log', output: 'one commit', exitCode: 0 }),
  pi('e', { type: 'model_change', provider: 'p', modelId: 'm' }),
  pi('f', { type: 'compaction', summary: 'Port is 8443.', firstKeptEntryId: 'c' }),
  pi('g', { type: 'branch_summary', fromId: 'f', summary: 'Another way was tried.' }),
  pi('h', { type: 'custom_message', customType: 'x', content: 'From an extension.', display: true }),
  pi('i', { type: 'session_info', name: 'About ports' }),
  talk('j', { role: 'user', content: [{ type: 'image', data: 'AAAA', mimeType: 'image/png' }] }),
];

describe('a session of pi', () => {
  it('is read in full: calls, edits, results, reasoning, branches and summaries', async () => {
    const { text, problems } = await read(PI);
    expect(problems).toEqual([]);
    const order = [
      'Which port?',
      '[reasoning] Ask the config.',
      'Let me look.',
      '[tool edit] a.ts',
      'port = 8443',
      '[result]\nEdited a.ts',
      '[ran] git log\n\none commit',
      '[summary] Port is 8443.',
      '[summary] Another way was tried.',
      'From an extension.',
      '[image image/png]',
    ];
    expect(order.filter((part) => !text.includes(part))).toEqual([]);
    expect([...order].sort((one, other) => text.indexOf(one) - text.indexOf(other))).toEqual(order);
    expect(text).not.toContain('AAAA');
    expect(text).not.toContain('model_change');
  });

  it('names its harness', async () => {
    expect(await withFile(lines(PI), identityOf)).toMatchObject({
      by: 'pi',
      sessionId: 'pi-1',
      cwd: '/code/shop',
    });
    expect((await read(PI)).head.title).toBe('About ports');
  });

  it('a message without content is a problem, and does not stop the rest', async () => {
    const { problems, text } = await read([
      talk('a', { role: 'user' }),
      talk('b', { role: 'user', content: 'Hi' }),
    ]);
    expect(problems).toEqual(['line 1: user record without a readable message']);
    expect(text).toContain('Hi');
  });
});
