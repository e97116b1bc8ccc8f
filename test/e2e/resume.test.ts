import { execFileSync } from 'node:child_process';
import { appendFileSync, readFileSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { hookedMachine, toldBy } from '../support/hook-starts.js';
import { schemas } from '../support/json-schemas.js';
import { kimiFiles, wire } from '../support/kimi.js';
import { OpencodeDatabase } from '../support/opencode-database.js';
import type { TestEnv } from '../support/test-env.js';

const CWD = '/code/shop';

const told = (env: TestEnv, harness: string, input: object, hook?: string) =>
  toldBy(env, harness, { cwd: CWD, ...input }, hook);

const lines = (records: readonly object[]) => records.map((each) => `${JSON.stringify(each)}\n`).join('');
const claude = (role: string, content: unknown, more = {}) => ({
  type: role,
  uuid: `u${Math.random()}`,
  sessionId: 'talk-1',
  isSidechain: false,
  cwd: CWD,
  gitBranch: 'rounding',
  timestamp: '2026-01-02T03:04:05.000Z',
  message: { role, content },
  ...more,
});
const use = (id: string, name: string, input: object) =>
  claude('assistant', [{ type: 'tool_use', id, name, input }]);
const result = (id: string, content: string, is_error = false) =>
  claude('user', [{ type: 'tool_result', tool_use_id: id, content, is_error }]);
const TALK = [
  claude('user', 'Round the cart, password=Xk29fmQ2vLz8Wq1'),
  use('t1', 'TodoWrite', { todos: [{ content: 'Test rounding', status: 'pending' }] }),
  result('t1', 'ok'),
  use('t2', 'Edit', { file_path: `${CWD}/cart.ts`, old_string: 'a', new_string: 'b' }),
  result('t2', 'ok'),
  use('t3', 'Bash', { command: 'npm test' }),
  result('t3', '2 failed', true),
  claude('assistant', [{ type: 'text', text: 'Two tests fail.' }]),
];
function talk(env: TestEnv, records: readonly object[] = TALK, name = 'talk-1'): string {
  env.project('.claude/projects/-code-shop', { [`${name}.jsonl`]: lines(records) });
  return join(env.home, '.claude/projects/-code-shop', `${name}.jsonl`);
}

describe('a session that goes on', () => {
  it('is told of a branch only where there was one', async () => {
    const env = await hookedMachine();
    // What Claude Code 2.1 writes in a folder without git.
    const records = TALK.map((each) => ({ ...each, gitBranch: 'HEAD' }));
    const input = { session_id: 'talk-1', transcript_path: talk(env, records), source: 'compact' };
    expect(await told(env, 'claude-code', input)).toMatch(/│ checkpoint \(compaction\), [^,\n]*\n/);
  });

  it('is told where it stood, before the wake-up and within its budget, without secrets', async () => {
    const env = await hookedMachine();
    const input = { session_id: 'talk-1', transcript_path: talk(env), source: 'compact' };
    const text = await told(env, 'claude-code', input);
    expect(text).toMatch(/^memory \(quoted .*\n\n## session resume context\n│ checkpoint \(compaction\), /);
    for (const part of [
      'branch rounding',
      '│ Round the cart, password=[REDACTED:',
      '│ - [ ] Test rounding',
      '│ - cart.ts (edited)',
      '│ - shell npm test: 2 failed',
      '## in this palace',
    ])
      expect(text).toContain(part);
    expect(text).not.toContain('Xk29fmQ2vLz8Wq1');
    const { tokens } = await env.json('mempalace', ['wake-up', '--everywhere']);
    expect(tokens).toBeLessThanOrEqual(900);
  });

  it('is told a state once, and another session nothing of it', async () => {
    const env = await hookedMachine();
    const transcript_path = talk(env);
    const [one, other] = [{ session_id: 'talk-1' }, { session_id: 'talk-2' }];
    const resume = { transcript_path, source: 'resume' };
    expect(await told(env, 'claude-code', { ...one, ...resume })).toContain('resume context');
    expect(await told(env, 'claude-code', { ...one, ...resume })).not.toContain('resume context');
    const second = talk(env, [claude('user', 'Draw a fox.', { sessionId: 'talk-2' })], 'talk-2');
    const text = await told(env, 'claude-code', { ...other, transcript_path: second, source: 'resume' });
    expect(text).toContain('Draw a fox.');
    expect(text).not.toContain('Round the cart');
    // What is new is told.
    appendFileSync(transcript_path, lines([claude('user', 'And the tax?')]));
    expect(await told(env, 'claude-code', { ...one, ...resume })).toContain('│ And the tax?');
    expect(await told(env, 'claude-code', { ...one, transcript_path, source: 'clear' })).not.toContain(
      'tax?',
    );
  });

  it('is not told again what it was told at its compaction, when it is resumed', async () => {
    const env = await hookedMachine();
    const input = { session_id: 'talk-1', transcript_path: talk(env) };
    expect(await told(env, 'claude-code', { ...input, source: 'compact' })).toContain('resume context');
    expect(await told(env, 'claude-code', { ...input, source: 'resume' })).not.toContain('resume context');
    appendFileSync(input.transcript_path, lines([claude('user', 'And the tax?')]));
    expect(await told(env, 'claude-code', { ...input, source: 'resume' })).toContain('│ And the tax?');
  });

  it('is told its last request, however long it has worked since', async () => {
    const env = await hookedMachine();
    const output = 'x'.repeat(100_000);
    const work = Array.from({ length: 30 }, (_, index) => [
      use(`w${index}`, 'Bash', { command: `make ${index}` }),
      result(`w${index}`, output),
    ]);
    const transcript_path = talk(env, [claude('user', 'Make all of it.'), ...work.flat()]);
    const input = { session_id: 'talk-1', transcript_path, source: 'compact' };
    expect(await told(env, 'claude-code', input)).toContain('### last request\n│ Make all of it.');
  });

  it('is told a state again if the palace could not be read and nothing was told', async () => {
    const env = await hookedMachine();
    const resume = { session_id: 'talk-1', transcript_path: talk(env), source: 'resume' };
    const database = join(env.palace, 'palace.sqlite3');
    const whole = readFileSync(database);
    writeFileSync(database, 'not a database');
    expect(await told(env, 'claude-code', resume)).toBe('');
    writeFileSync(database, whole);
    expect(await told(env, 'claude-code', resume)).toContain('│ Round the cart');
  });

  it('is told a state where nothing can be noted', async () => {
    const env = await hookedMachine();
    symlinkSync('/nowhere/sessions', join(env.palace, 'hooks', 'sessions'));
    const input = { session_id: 'talk-1', transcript_path: talk(env), source: 'compact' };
    expect(await told(env, 'claude-code', input)).toContain('│ - [ ] Test rounding');
  });

  it('in Codex, Kimi CLI, pi and opencode', async () => {
    const env = await hookedMachine();
    env.project('.codex/sessions', {
      'rollout-1.jsonl': lines([
        { type: 'session_meta', payload: { id: 'cx', cwd: CWD, git: { branch: 'main' } } },
        item({ type: 'message', role: 'user', content: [{ type: 'input_text', text: 'Round in Codex.' }] }),
        item({
          type: 'function_call',
          call_id: 'c1',
          name: 'update_plan',
          arguments: JSON.stringify({ plan: [{ step: 'Test Codex', status: 'in_progress' }] }),
        }),
        item({ type: 'function_call_output', call_id: 'c1', output: 'Plan updated' }),
        { type: 'compacted', payload: { message: 'The summary of Codex.' } },
      ]),
    });
    const rollout = join(env.home, '.codex/sessions/rollout-1.jsonl');
    const codex = await told(env, 'codex', { session_id: 'cx', transcript_path: rollout, source: 'compact' });
    for (const part of ['branch main', '│ Round in Codex.', '- [ ] Test Codex', '│ The summary of Codex.'])
      expect(codex).toContain(part);

    env.project('.kimi', kimiFiles(CWD, 'km', ['Round in Kimi.', 'Done.']));
    const folder = kimiFolder(env);
    const todos = JSON.stringify({ todos: [{ title: 'Test Kimi', status: 'pending' }] });
    appendFileSync(
      folder,
      lines([
        wire('ToolCall', { id: 'k1', function: { name: 'SetTodoList', arguments: todos } }),
        wire('ToolResult', {
          tool_call_id: 'k1',
          return_value: { is_error: false, output: 'ok', message: '' },
        }),
      ]),
    );
    const kimi = await told(env, 'kimi', { session_id: 'km', source: 'resume' });
    for (const part of ['│ Round in Kimi.', '- [ ] Test Kimi']) expect(kimi).toContain(part);

    env.project('.pi/agent/sessions/x', {
      'p.jsonl': lines([
        { type: 'session', version: 3, id: 'pi-1', cwd: CWD },
        { type: 'message', id: 'a', message: { role: 'user', content: 'Round in pi.' } },
        { type: 'compaction', id: 'b', summary: 'The summary of pi.', tokensBefore: 4000 },
      ]),
    });
    const file = join(env.home, '.pi/agent/sessions/x/p.jsonl');
    const pi = { session_id: 'pi-1', transcript_path: file, source: 'compact' };
    const inPi = await told(env, 'pi', pi);
    for (const part of ['context 4000 tokens', '│ Round in pi.', '│ The summary of pi.'])
      expect(inPi).toContain(part);
    // Its system prompt is made again, so the text is given again.
    expect(await told(env, 'pi', pi)).toBe(inPi);

    env.project('.local/share/opencode', {});
    const history = new OpencodeDatabase(join(env.home, '.local/share/opencode/opencode.db'));
    history.addSession({
      id: 'ses_one',
      messages: [
        { role: 'user', parts: [{ type: 'text', text: 'Round in opencode.' }] },
        { role: 'assistant', parts: [{ type: 'text', text: 'Rounded.' }] },
      ],
    });
    history.close();
    const opencode = await told(env, 'opencode', { session_id: 'ses_one', source: 'compact' });
    expect(opencode).toContain('│ Round in opencode.');
  });
});

const item = (payload: object) => ({ type: 'response_item', timestamp: '2026-01-02T03:04:05.000Z', payload });

function kimiFolder(env: TestEnv): string {
  const name = Object.keys(kimiFiles(CWD, 'km', [])).find((each) => each.endsWith('wire.jsonl')) ?? '';
  return join(env.home, '.kimi', name);
}

describe('a note of the user', () => {
  it('is told with the state of its session, the last one, without secrets, until it is forgotten', async () => {
    const env = await hookedMachine();
    const transcript_path = talk(env);
    const input = { session_id: 'talk-1', transcript_path, source: 'compact' };
    await told(env, 'claude-code', input, 'stop');
    await env.json('mempalace', ['hook', 'flush']);
    const make = (...note: string[]) => env.json('mempalace', ['checkpoint', '--session', 'talk-1', ...note]);
    await make('--note', 'Round each line.');
    await make('--note', 'Round the total, PIN_TOKEN=ghp_a1B2c3D4e5F6a1B2c3D4e5F6a1B2c3D4e5F6.');
    await make();
    const text = await told(env, 'claude-code', input);
    expect(text).toMatch(/### key decisions\n│ 2026-01-02 03:04 UTC: Round the total, PIN_TOKEN=\[REDACTED:/);
    expect(text).not.toContain('Round each line.');
    // A new note is told, although the transcript is the same.
    await make('--note', 'Half up.');
    expect(await told(env, 'claude-code', { ...input, source: 'resume' })).toContain('UTC: Half up.');
    const other = talk(env, [claude('user', 'Draw a fox.', { sessionId: 'talk-2' })], 'talk-2');
    const second = { session_id: 'talk-2', transcript_path: other, source: 'compact' };
    expect(await told(env, 'claude-code', second)).not.toContain('key decisions');
    await env.run('mempalace', ['forget', '--session', 'talk-1', '--yes']);
    expect(await told(env, 'claude-code', input)).not.toContain('key decisions');
  });
});

describe('a session that broke off', () => {
  it('is named at the next start in its folder, once, and filed with its last checkpoint', async () => {
    const env = await hookedMachine();
    const transcript_path = talk(env, TALK.slice(0, 3));
    await told(env, 'claude-code', { session_id: 'talk-1', transcript_path, source: 'startup' });
    const start = { session_id: 'talk-2', transcript_path: `${transcript_path}.none`, source: 'startup' };
    expect(await told(env, 'claude-code', { ...start, cwd: '/elsewhere' })).not.toContain('broke off');
    const text = await told(env, 'claude-code', start);
    expect(text).toContain('mempalace checkpoint show talk-1\n│ its last request: Round the cart');
    expect(await told(env, 'claude-code', { ...start, session_id: 'talk-3' })).not.toContain('broke off');
    await env.json('mempalace', ['hook', 'flush']);
    const { sources } = await env.json('mempalace', ['list', 'sources', '--type', 'checkpoint']);
    expect(sources).toMatchObject([
      { source_key: 'checkpoint:claude-code:talk-1/1.md', title: expect.stringContaining('(crash)') },
    ]);
  });

  it('is not one whose end was reported, nor one that was answered', async () => {
    const env = await hookedMachine();
    const transcript_path = talk(env, TALK.slice(0, 3));
    const input = { session_id: 'talk-1', transcript_path };
    await told(env, 'claude-code', { ...input, source: 'startup' });
    await told(env, 'claude-code', input, 'session-end');
    const start = { session_id: 'talk-2', source: 'startup' };
    expect(await told(env, 'claude-code', start)).not.toContain('broke off');
    const answered = talk(env, TALK, 'talk-4');
    await told(env, 'claude-code', { session_id: 'talk-4', transcript_path: answered, source: 'startup' });
    expect(await told(env, 'claude-code', { ...start, session_id: 'talk-5' })).not.toContain('broke off');
  });
});

describe('one broken session after another', () => {
  it('each is named at the next start, also after a session without a transcript', async () => {
    const env = await hookedMachine();
    const starts: string[] = [];
    for (const name of ['talk-1', 'talk-2', 'none', 'talk-3', 'talk-4']) {
      const transcript_path =
        name === 'none' ? join(env.home, 'none.jsonl') : talk(env, [claude('user', `Ask of ${name}`)], name);
      const start = { session_id: name, transcript_path, source: 'startup' };
      starts.push(/its last request: (.*)/.exec(await told(env, 'claude-code', start))?.[1] ?? '');
    }
    expect(starts).toEqual(['', 'Ask of talk-1', 'Ask of talk-2', '', 'Ask of talk-3']);
  });

  it('a transcript that is a named pipe does not stop the hook', async () => {
    const env = await hookedMachine();
    const transcript_path = join(env.home, 'pipe.jsonl');
    execFileSync('mkfifo', [transcript_path]);
    const start = { session_id: 'talk-1', transcript_path, source: 'compact' };
    expect(await told(env, 'claude-code', start)).toContain('## in this palace');
  });
});

describe('checkpoints in the palace', () => {
  it('follow the transcript: one per compaction and one of the end, none twice, forgotten with the session', async () => {
    const env = await hookedMachine();
    const transcript_path = talk(env);
    const input = { session_id: 'talk-1', transcript_path };
    const filed = async () => {
      const { sources } = await env.json('mempalace', ['list', 'sources', '--type', 'checkpoint']);
      return (sources as { source_key: string; title: string }[])
        .map(({ source_key, title }) => `${source_key.split('/')[1]} ${title}`)
        .sort();
    };
    await told(env, 'claude-code', input, 'stop');
    await env.json('mempalace', ['hook', 'flush']);
    expect(await filed()).toEqual([]);
    await told(env, 'claude-code', input, 'session-end');
    await env.json('mempalace', ['hook', 'flush']);
    expect(await filed()).toEqual([expect.stringMatching(/^1\.md checkpoint 1 \(auto\): Round the cart/)]);
    appendFileSync(
      transcript_path,
      lines([
        {
          type: 'system',
          subtype: 'compact_boundary',
          compactMetadata: { preTokens: 4000, postTokens: 900 },
        },
        claude('user', 'The summary.', { isCompactSummary: true }),
        claude('user', 'And the tax?'),
      ]),
    );
    await told(env, 'claude-code', input, 'postcompact');
    await env.json('mempalace', ['hook', 'flush']);
    const compacted = expect.stringMatching(/^1\.md checkpoint 1 \(compaction\): Round the cart/);
    expect(await filed()).toEqual([compacted]);
    const { stdout } = await env.run('mempalace', ['show', 'checkpoint:claude-code:talk-1/1.md']);
    for (const part of ['context 4000 → 900 tokens', '- [ ] Test rounding', 'The summary.', '[REDACTED:'])
      expect(stdout).toContain(part);
    const listed = await env.json('mempalace', ['checkpoint', 'list', '--session', 'talk-1']);
    const none = await env.run('mempalace', ['checkpoint', 'list', '--session', 'talk-9']);
    expect([none.exitCode, none.stderr]).toEqual([0, 'no checkpoint of "talk-9"']);
    const [{ line } = { line: null }] = schemas.checkpointList.parse(listed).checkpoints;
    const shown = await env.json('mempalace', ['show', 'claude-code:talk-1']);
    const text = String(shown.text).split('\n');
    expect(text.slice(Number(line) - 1, Number(line) + 1).join('\n')).toBe(
      'User:\n[compaction summary] The summary.',
    );
    const drawer = /drawer_\w+/.exec(stdout)?.[0] ?? '';
    expect((await env.run('mempalace', ['show', drawer])).stdout).toContain('Round the cart');
    await told(env, 'claude-code', input, 'session-end');
    await env.json('mempalace', ['hook', 'flush']);
    expect(await filed()).toEqual([
      compacted,
      expect.stringMatching(/^2\.md checkpoint 2 \(crash\): And the tax/),
    ]);
    await env.run('mempalace', ['forget', '--session', 'talk-1', '--yes']);
    expect(await filed()).toEqual([]);
  });

  it('are not made of what was told: its text in the transcript is not filed again', async () => {
    const env = await hookedMachine();
    const transcript_path = talk(env);
    const input = { session_id: 'talk-1', transcript_path };
    const text = await told(env, 'claude-code', { ...input, source: 'compact' });
    expect(text).toContain('│ - [ ] Test rounding');
    // Claude Code records what a hook adds as the former, and shows it to the model as the latter.
    const added = { type: 'hook_additional_context', content: [text], hookName: 'SessionStart' };
    const reminder = `<system-reminder>\nSessionStart hook additional context: ${text}\n</system-reminder>`;
    const records = [
      claude('user', '', { type: 'attachment', message: undefined, attachment: added }),
      claude('user', `${text}\n`),
      claude('user', [
        { type: 'text', text: reminder },
        { type: 'text', text: 'Paint the marker zebra.' },
      ]),
    ];
    talk(
      env,
      records.map((each) => ({ ...each, sessionId: 'talk-2' })),
      'talk-2',
    );
    const file = join(env.home, '.claude/projects/-code-shop/talk-2.jsonl');
    await told(env, 'claude-code', { session_id: 'talk-2', transcript_path: file }, 'session-end');
    await env.json('mempalace', ['hook', 'flush']);
    const found = async (words: string) => {
      const asked = [
        'search',
        words,
        '--session',
        'talk-2',
        '--by',
        'drawer',
        '--limit',
        '20',
        '--everywhere',
      ];
      return JSON.stringify((await env.json('mempalace', asked)).hits);
    };
    expect(await found('zebra')).toContain('Paint the marker zebra.');
    for (const words of ['session resume context', 'Test rounding', 'cart.ts (edited)'])
      expect(await found(words)).not.toContain(words);
    const { stdout } = await env.run('mempalace', ['show', 'claude-code:talk-2']);
    expect(stdout).toContain('zebra');
    expect(stdout).not.toMatch(/resume context|Test rounding|\(edited\)/);
    const derived = await env.run('mempalace', ['show', 'checkpoint:claude-code:talk-2/1.md']);
    expect(derived.stdout).toContain('zebra');
    expect(derived.stdout).not.toMatch(/session resume context|Test rounding|\(edited\)/);
  });

  it('are not made of what was told in Codex, Kimi CLI and pi, in any record that a program may put it into', async () => {
    const env = await hookedMachine();
    const input = { session_id: 'talk-1', transcript_path: talk(env), source: 'compact' };
    const text = await told(env, 'claude-code', input);
    expect(text).toContain('│ - [ ] Test rounding');
    const mine = 'Paint the marker zebra.';
    const block = (said: string) => [{ type: 'input_text', text: said }];
    env.project('.codex/sessions', {
      'rollout-1.jsonl': lines([
        { type: 'session_meta', payload: { id: 'cx', cwd: CWD } },
        item({ type: 'message', role: 'developer', content: block(text) }),
        item({ type: 'message', role: 'user', content: block(text) }),
        item({ type: 'message', role: 'user', content: block(mine) }),
        item({
          type: 'custom_tool_call',
          call_id: 'c1',
          name: 'exec',
          input: 'tools.mcp__mempalace__mempalace_resume({})',
        }),
        item({ type: 'custom_tool_call_output', call_id: 'c1', output: block(text) }),
        item({
          type: 'function_call',
          call_id: 'c2',
          name: 'shell',
          arguments: '{"command":["bash","-lc","mempalace checkpoint show cx --json"]}',
        }),
        item({
          type: 'function_call_output',
          call_id: 'c2',
          output: JSON.stringify({ content: '- [ ] Test rounding' }),
        }),
      ]),
    });
    env.project('.kimi', kimiFiles(CWD, 'km', [text, 'Yes.', mine, 'Done.']));
    const added = {
      type: 'custom_message',
      id: 'b',
      customType: 'mempalace-wakeup',
      content: text,
      display: false,
    };
    env.project('.pi/agent/sessions/x', {
      'p.jsonl': lines([
        { type: 'session', version: 3, id: 'pi-1', cwd: CWD },
        added,
        { type: 'message', id: 'c', message: { role: 'custom', content: text } },
        { type: 'message', id: 'd', message: { role: 'user', content: mine } },
      ]),
    });
    const sessions = [
      ['codex', 'cx', '.codex/sessions/rollout-1.jsonl'],
      ['kimi', 'km', ''],
      ['pi', 'pi-1', '.pi/agent/sessions/x/p.jsonl'],
    ] as const;
    for (const [harness, session_id, file] of sessions)
      await told(env, harness, { session_id, transcript_path: join(env.home, file) }, 'session-end');
    await env.json('mempalace', ['hook', 'flush']);
    for (const [harness, id] of sessions) {
      for (const source of [`${harness}:${id}`, `checkpoint:${harness}:${id}/1.md`]) {
        const { stdout } = await env.run('mempalace', ['show', source]);
        expect(stdout).toContain('zebra');
        expect(stdout).not.toMatch(/session resume context|Test rounding|\(edited\)/);
      }
    }
  });

  it('are found by a search that names their type or room, and by no other', async () => {
    const env = await hookedMachine();
    const input = { session_id: 'talk-1', transcript_path: talk(env) };
    await told(env, 'claude-code', input, 'session-end');
    await env.json('mempalace', ['hook', 'flush']);
    const rooms = async (...filter: string[]) => {
      const { hits } = await env.json('mempalace', ['search', 'round the cart', ...filter]);
      return (hits as { room: string }[]).map(({ room }) => room);
    };
    for (const filter of [[], ['--session', 'talk-1'], ['--type', 'conversation']]) {
      const found = await rooms(...filter);
      expect(found).not.toEqual([]);
      expect(found).not.toContain('checkpoints');
    }
    expect(await rooms('--type', 'checkpoint')).toEqual(['checkpoints']);
    expect(await rooms('--room', 'checkpoints')).toEqual(['checkpoints']);
  });

  it('are made with a note, listed, shown, and given to agents', async () => {
    const env = await hookedMachine();
    const input = { session_id: 'talk-1', transcript_path: talk(env) };
    await told(env, 'claude-code', { ...input, source: 'startup' });
    await env.json('mempalace', ['hook', 'flush']);
    expect((await env.run('mempalace', ['checkpoint', 'show', 'talk-1'])).exitCode).toBe(1);
    await told(env, 'claude-code', input, 'stop');
    await env.json('mempalace', ['hook', 'flush']);
    const note = ['--note', 'Half up, token ghp_a1B2c3D4e5F6a1B2c3D4e5F6a1B2c3D4e5F6.'];
    const asked = ['checkpoint', '--session', 'talk-1', ...note];
    const made = schemas.checkpointMade.parse(await env.json('mempalace', asked));
    expect(made).toMatchObject({ session: 'claude-code:talk-1' });
    const { checkpoints, total } = schemas.checkpointList.parse(
      await env.json('mempalace', ['checkpoint', 'list', '--session', 'talk-1']),
    );
    expect([total, checkpoints[0]?.checkpoint_id]).toEqual([1, made.checkpoint_id]);
    const shown = schemas.checkpointShow.parse(await env.json('mempalace', ['checkpoint', 'show', 'talk-1']));
    expect(shown.content).toMatch(/^# Session Resume Context\n\ncheckpoint 1 \(manual\)/);
    expect(shown.content).toContain('Half up, token [REDACTED:');
    expect(shown.content).toContain('- [ ] Test rounding');
    const { stdout } = await env.run('mempalace', ['checkpoint', 'show', made.checkpoint_id]);
    expect(stdout).toContain('│ ## Key Decisions');
    expect((await env.run('mempalace', ['checkpoint', '--session', 'talk-9'])).exitCode).toBe(1);
    const { findings } = await env.json('mempalace', ['verify', '--verbose']);
    expect(findings).toContainEqual(expect.objectContaining({ detail: 'it was made from its session' }));
  });

  it('are made of the session in the folder that wrote last, if two run at once, and never of one without a transcript', async () => {
    const env = await hookedMachine();
    const cwd = process.cwd();
    const start = async (name: string, transcript_path: string) =>
      told(env, 'claude-code', { session_id: name, transcript_path, cwd, source: 'startup' });
    await start('none', join(env.home, 'none.jsonl'));
    const alone = await env.run('mempalace', ['checkpoint', '--note', 'Lost?']);
    expect(alone).toMatchObject({
      exitCode: 1,
      stderr: expect.stringContaining('no session in this folder'),
    });
    const [first, second] = [talk(env), talk(env, [claude('user', 'Draw a fox.')], 'talk-2')];
    await start('talk-1', first);
    await start('talk-2', second);
    const later = new Date(Date.now() + 60_000);
    utimesSync(first, later, later);
    const made = await env.json('mempalace', ['checkpoint', '--note', 'Of the first.']);
    expect(made).toMatchObject({ session: 'claude-code:talk-1' });
    await env.run('mempalace', ['forget', '--session', 'talk-2', '--yes']);
    await env.run('mempalace', ['forget', '--session', 'talk-1', '--yes']);
    const forgotten = await env.run('mempalace', ['checkpoint', '--note', 'Of the first.']);
    expect(forgotten).toMatchObject({ exitCode: 1, stderr: expect.stringContaining('was filed') });
  });
});
