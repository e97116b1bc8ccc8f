import { execFileSync } from 'node:child_process';
import { mkdirSync, symlinkSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { filesIn } from '../../support/files-in.js';
import { temporaryFolder } from '../../support/palace.js';
import { readFolder } from '../../support/staged-transcripts.js';

const ID = '5b1e7f0c-0001-4000-8000-000000000000';
const AT = '2026-03-04T05:06:07.000Z';
const WHOLE = Array.from({ length: 4_000 }, (_, row) => `row ${row}.`).join('\n');

function put(path: string, content: string | readonly unknown[]): void {
  filesIn({ [basename(path)]: content }, dirname(path));
}

async function text(home: string): Promise<string> {
  const { conversations } = await readFolder(home);
  return [...conversations.values()].map((each) => each.text).join('\n');
}

const SAVED = `/elsewhere/.claude/projects/-shop/${ID}/tool-results/b1.txt`;

const persisted = (path: string) =>
  `<persisted-output>\nOutput too large (${Math.round(WHOLE.length / 102.4) / 10}KB). Full output saved to: ${path}\n\nPreview (first 2KB):\n${WHOLE.slice(0, 2_000)}\n...\n</persisted-output>`;

/** A command of Claude Code whose output was too long; the record has the beginning of it. */
function claude(
  home: string,
  path = SAVED,
  stdout = WHOLE.slice(0, 20_000),
  shownIn: (path: string) => string = persisted,
): string {
  const shown = shownIn(path);
  const base = { sessionId: ID, timestamp: AT, isSidechain: false };
  put(join(home, '-shop', `${ID}.jsonl`), [
    { ...base, type: 'user', uuid: 'u1', message: { role: 'user', content: 'List the rows.' } },
    {
      ...base,
      type: 'assistant',
      uuid: 'u2',
      message: { content: [{ type: 'tool_use', id: 't1', name: 'Bash', input: { command: 'rows' } }] },
    },
    {
      ...base,
      type: 'user',
      uuid: 'u3',
      message: { content: [{ type: 'tool_result', tool_use_id: 't1', content: shown }] },
      ...(stdout === '' ? {} : { toolUseResult: { stdout, stderr: '' } }),
    },
  ]);
  return join(home, '-shop', ID, 'tool-results', 'b1.txt');
}

describe('an output that the program cut', () => {
  it('is whole while its file is there, and marked', async () => {
    const home = temporaryFolder();
    put(claude(home), WHOLE);
    const found = await text(home);
    expect(found).toContain(`[output cut by Claude Code, here whole from ${SAVED}]\n${WHOLE}`);
    expect(found).not.toContain('Preview');
  });

  it('without its file is as long as the record has it, and names the file', async () => {
    const home = temporaryFolder();
    claude(home);
    const found = await text(home);
    expect(found).toContain(`[output cut by Claude Code, whole in ${SAVED}]`);
    expect(found).toContain('row 1500.');
    const other = temporaryFolder();
    claude(other, SAVED, '');
    expect(await text(other)).toContain(`[output cut by Claude Code, whole in ${SAVED}]\n<persisted-output>`);
  });

  it.each([
    ['a file outside', '/etc/passwd'],
    ['a file above', `/x/${ID}/tool-results/../../../secret.txt`],
    ['another file of the program', `/x/.claude/projects/-shop/${ID}/notes/secret.txt`],
  ])('is not taken from %s', async (_, path) => {
    const home = temporaryFolder();
    claude(home, path);
    put(join(home, 'secret.txt'), 'NOT-TO-BE-READ');
    put(join(home, '-shop', ID, 'notes', 'secret.txt'), 'NOT-TO-BE-READ');
    const found = await text(home);
    expect(found).not.toContain('NOT-TO-BE-READ');
    expect(found).not.toContain('root:');
    expect(found).toContain('[output cut by Claude Code, whole in ');
  });

  it.each(['a link', 'a pipe', 'more than 1 MB', 'a folder'])('is not taken from %s', async (kind) => {
    const home = temporaryFolder();
    const file = claude(home);
    put(join(home, 'other.txt'), 'NOT-TO-BE-READ');
    mkdirSync(dirname(file), { recursive: true });
    if (kind === 'a link') symlinkSync(join(home, 'other.txt'), file);
    else if (kind === 'a pipe') execFileSync('mkfifo', [file]);
    else if (kind === 'a folder') mkdirSync(file);
    else put(file, 'NOT-TO-BE-READ '.repeat(80_000));
    const found = await text(home);
    expect(found).not.toContain('NOT-TO-BE-READ');
    expect(found).toContain('[output cut by Claude Code, whole in ');
  });

  it('of an MCP server of Claude Code is taken from the file that the error names', async () => {
    const home = temporaryFolder();
    const said = (path: string) =>
      `Error: result (120,345 characters) exceeds maximum allowed tokens. Output has been saved to ${path}.\nFormat: Plain text`;
    put(claude(home, SAVED, '', said), WHOLE);
    expect(await text(home)).toContain(`[output cut by Claude Code, here whole from ${SAVED}]\n${WHOLE}`);
  });

  it('of an earlier Claude Code is marked', async () => {
    const home = temporaryFolder();
    claude(home, SAVED, '', () => 'row 1\n\n... [3998 lines truncated] ...\n\nrow 4000');
    expect(await text(home)).toContain('[output cut by Claude Code]\nrow 1\n\n... [3998');
  });

  it.each(['in the folder of the project', 'and not saved'])('of Qwen Code is found %s', async (where) => {
    const home = temporaryFolder();
    const path = '/elsewhere/.qwen/tmp/0a1b/run_shell_command_9.output';
    const note = where === 'and not saved' ? '[Note: Could not save tool output to file]' : '';
    const head = note || `The full output has been saved to: ${path}`;
    const output = `Tool output was too large and has been truncated.\n${head}\n\nTruncated part of the output:\nrow 1`;
    const record = (number: number, type: string, parts: object[]) => {
      const role = type === 'assistant' ? 'model' : 'user';
      return {
        uuid: `u${number}`,
        parentUuid: null,
        sessionId: ID,
        timestamp: AT,
        type,
        cwd: '/shop',
        message: { role, parts },
      };
    };
    put(join(home, 'qwen/projects/-shop/chats', `${ID}.jsonl`), [
      record(1, 'user', [{ text: 'Rows.' }]),
      record(2, 'assistant', [{ functionCall: { id: 'c1', name: 'run_shell_command', args: {} } }]),
      record(3, 'tool_result', [
        { functionResponse: { id: 'c1', name: 'run_shell_command', response: { output } } },
      ]),
    ]);
    for (const name of ['tmp/0a1b/run_shell_command_9.output', 'tmp/0a1b/other.txt'])
      put(join(home, 'qwen', name), WHOLE);
    const [mark, found] = note
      ? ['[output cut by Qwen Code]', output]
      : [`[output cut by Qwen Code, here whole from ${path}]`, WHOLE];
    expect(await text(home)).toContain(`${mark}\n${found}`);
  });

  it('of Codex is whole if an event has it, else marked', async () => {
    const record = (type: string, payload: object) => ({ timestamp: AT, type, payload });
    const cut = `${WHOLE.slice(0, 500)}…7000 tokens truncated…${WHOLE.slice(-500)}`;
    const records = (event: boolean) => [
      record('session_meta', { id: ID, timestamp: AT, cwd: '/shop' }),
      record('response_item', {
        type: 'message',
        role: 'user',
        content: [{ type: 'input_text', text: 'Rows.' }],
      }),
      record('response_item', { type: 'function_call', name: 'shell', arguments: '{}', call_id: 'c1' }),
      ...(event
        ? [
            record('event_msg', {
              type: 'exec_command_end',
              call_id: 'c1',
              aggregated_output: WHOLE,
              exit_code: 0,
            }),
          ]
        : []),
      record('response_item', { type: 'function_call_output', call_id: 'c1', output: cut }),
    ];
    const [whole, marked] = [temporaryFolder(), temporaryFolder()];
    put(join(whole, `rollout-${ID}.jsonl`), records(true));
    put(join(marked, `rollout-${ID}.jsonl`), records(false));
    const found = await text(whole);
    expect(found).toContain(WHOLE);
    expect(found).not.toContain('truncated');
    expect(await text(marked)).toContain(`[output cut by Codex]\n${WHOLE.slice(0, 500)}`);
  });

  it('of pi names the file of the whole output, which is not in a folder of pi', async () => {
    const home = temporaryFolder();
    const message = (role: string, content: string, more: object = {}) => ({
      type: 'message',
      id: role,
      timestamp: AT,
      message: { role, content: [{ type: 'text', text: content }], ...more },
    });
    put(join(home, `2026_${ID}.jsonl`), [
      { type: 'session', id: ID, timestamp: AT, cwd: '/shop' },
      message('user', 'Rows.'),
      message('toolResult', 'row 9\n\n[Showing lines 9-9 of 9. Full output: /tmp/pi-bash-1.log]', {
        toolCallId: 'c',
      }),
    ]);
    expect(await text(home)).toContain('[output cut by pi, whole in /tmp/pi-bash-1.log]\nrow 9');
  });
});
