import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { type Checkpoint, CheckpointRecorder, resumeDraft, resumeText } from '../../src/checkpoint/index.js';
import { tailEntries } from '../../src/feeders/transcripts/tail.js';
import { wire } from '../support/kimi.js';
import { temporaryFolder } from '../support/palace.js';

/** Where a session stands, from records as its program writes them. */
async function latest(harness: string, records: readonly object[], bytes = 1 << 20): Promise<Checkpoint> {
  const path = join(temporaryFolder(), 'sessions', 'wire.jsonl');
  mkdirSync(dirname(path));
  writeFileSync(path, records.map((each) => `${JSON.stringify(each)}\n`).join(''));
  const recorder = new CheckpointRecorder();
  for await (const entry of tailEntries(harness, path, bytes))
    if (entry.kind !== 'malformed') recorder.add(entry);
  return recorder.latest(true);
}
const paths = ({ files }: Checkpoint) => files.map(({ path }) => path);

let count = 0;
const claude = (role: string, content: unknown, more = {}) => {
  count += 1;
  return {
    type: role,
    uuid: `u${count}`,
    sessionId: 'talk',
    cwd: '/shop',
    message: { role, content },
    ...more,
  };
};
const say = (text: string) => claude('user', text);
const answer = claude('assistant', [{ type: 'text', text: 'Done.' }]);
const use = (id: string, name: string, input: object, more = {}) =>
  claude('assistant', [{ type: 'tool_use', id, name, input }], more);
const result = (id: string, content = 'ok', is_error = false, more = {}) =>
  claude('user', [{ type: 'tool_result', tool_use_id: id, content, is_error }], more);
const called = (id: string, name: string, input: object, error = false) => [
  use(id, name, input),
  result(id, error ? '<tool_use_error>no</tool_use_error>' : 'ok', error),
];
const text = (words: string) => ({ type: 'text', text: words });

describe('the last request in Claude Code', () => {
  const ROUND = say('Round the cart.');
  it.each<[string, string, object[]]>([
    [
      'a slash command of the user',
      '/review cart.ts',
      [
        say(
          '<command-message>review is running…</command-message>\n<command-name>/review</command-name>\n<command-args>cart.ts</command-args>',
        ),
        claude('user', [text('Review the file and …')], { isMeta: true }),
      ],
    ],
    [
      'before /compact',
      'Round the cart.',
      [
        say(
          '<command-name>/compact</command-name>\n<command-message>compact</command-message>\n<command-args>short</command-args>',
        ),
        say('<local-command-stdout>Compacted</local-command-stdout>'),
      ],
    ],
    ['before a result', 'Round the cart.', called('t1', 'Read', { file_path: '/shop/a.ts' })],
    ['before an interruption', 'Round the cart.', [claude('user', [text('[Request interrupted by user]')])]],
    [
      'before an interrupted call',
      'Round the cart.',
      [
        use('t1', 'Bash', { command: 'make' }),
        claude('user', [
          { type: 'tool_result', tool_use_id: 't1', content: 'stopped', is_error: true },
          text('[Request interrupted by user for tool use]'),
        ]),
      ],
    ],
    [
      'with a picture',
      '[image image/png]\nLike this.',
      [
        claude('user', [
          { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'AA==' } },
          text('Like this.'),
        ]),
      ],
    ],
    [
      'before a sub-agent’s task',
      'Round the cart.',
      [claude('user', 'Survey the code.', { isSidechain: true })],
    ],
    [
      'before the words of a program',
      'Round the cart.',
      [
        claude('user', 'Caveat: …', { isMeta: true }),
        say('<bash-input>ls</bash-input>'),
        say('<task-notification>\n<task-id>a1</task-id>\n<result>Found.</result>\n</task-notification>'),
      ],
    ],
    [
      'typed while the agent worked',
      'And the tax.',
      [
        {
          type: 'attachment',
          uuid: 'q1',
          attachment: { type: 'queued_command', prompt: 'And the tax.', commandMode: 'prompt' },
        },
      ],
    ],
    [
      'still in the queue',
      'And the tax.',
      [{ type: 'queue-operation', operation: 'enqueue', sessionId: 'talk', content: 'And the tax.' }],
    ],
  ])('%s', async (_, expected, records) => {
    expect((await latest('claude-code', [ROUND, answer, ...records])).asks.at(-1)).toBe(expected);
  });

  it('of 20 KB is told with its beginning and its end', async () => {
    const log = Array.from({ length: 500 }, (_, index) => `line ${index} of the log, which is long`).join(
      '\n',
    );
    const checkpoint = await latest('claude-code', [say(`Look at this.\n${log}\nWhy does line 77 fail?`)]);
    const told = resumeText(resumeDraft(checkpoint), 600).join('\n');
    expect(told).toContain('│ Look at this.\n│ line 0 of the log');
    expect(told).toMatch(/│ … \d+ characters left out …\n/);
    expect(told).toContain('which is long\n│ Why does line 77 fail?');
  });
});

describe('open items', () => {
  it('of Claude Code since 2.1 are single tasks', async () => {
    const { todos } = await latest('claude-code', [
      say('Plan.'),
      use('t1', 'TaskCreate', { subject: 'Round' }),
      use('t2', 'TaskCreate', { subject: 'Test' }),
      use('t3', 'TaskCreate', { subject: 'Publish' }),
      result('t2', 'Task #2 created successfully: Test'),
      result('t1', 'Task #1 created successfully: Round'),
      result('t3', 'Task #3 created successfully: Publish'),
      ...called('t4', 'TaskUpdate', { taskId: '1', status: 'completed' }),
      ...called('t5', 'TaskUpdate', { taskId: '3', status: 'deleted' }),
      ...called('t6', 'TaskUpdate', { taskId: '2', subject: 'Test it' }),
    ]);
    expect(todos).toEqual(['Test it']);
  });

  it('are those of the last list that was accepted', async () => {
    const list = (...items: [string, string][]) => ({
      todos: items.map(([content, status]) => ({ content, status, activeForm: content })),
    });
    const { todos } = await latest('claude-code', [
      ...called('t1', 'TodoWrite', list(['Round', 'pending'])),
      ...called(
        't2',
        'TodoWrite',
        list(['Round', 'completed'], ['Test', 'in_progress'], ['Publish', 'pending']),
      ),
      ...called('t3', 'TodoWrite', list(['Never', 'pending']), true),
    ]);
    expect(todos).toEqual(['Test', 'Publish']);
  });

  it('are not those of a sub-agent', async () => {
    const mine = { todos: [{ content: 'Mine', status: 'pending' }] };
    const other = { todos: [{ content: 'Other', status: 'pending' }] };
    const side = { isSidechain: true };
    const claudes = [
      ...called('t1', 'TodoWrite', mine),
      use('t2', 'TodoWrite', other, side),
      result('t2', 'ok', false, side),
      use('t3', 'Write', { file_path: '/shop/a.ts', content: '' }, side),
      result('t3', 'ok', false, side),
    ];
    const checkpoint = await latest('claude-code', claudes);
    expect([checkpoint.todos, paths(checkpoint)]).toEqual([['Mine'], ['/shop/a.ts']]);
    const list = (title: string) => JSON.stringify({ todos: [{ title, status: 'pending' }] });
    const sub = (event: object) => wire('SubagentEvent', { task_tool_call_id: 'k0', event });
    const inKimi = await latest('kimi', [
      ...kimiCall('k1', 'SetTodoList', list('Mine')),
      ...kimiCall('k2', 'SetTodoList', list('Other')).map(({ message }) => sub(message)),
    ]);
    expect(inKimi.todos).toEqual(['Mine']);
  });
});

const kimiCall = (id: string, name: string, given: string) => [
  wire('ToolCall', { id, function: { name, arguments: given } }),
  wire('ToolResult', { tool_call_id: id, return_value: { is_error: false, output: 'ok', message: '' } }),
];

describe('Kimi CLI', () => {
  it('records its commands as turns of the user, which are not requests', async () => {
    const { asks, todos } = await latest('kimi', [
      wire('TurnBegin', { user_input: 'Round the cart.' }),
      ...kimiCall(
        'k1',
        'SetTodoList',
        JSON.stringify({
          todos: [
            { title: 'Round', status: 'Done' },
            { title: 'Test', status: 'In Progress' },
            { title: 'Publish', status: 'pending' },
          ],
        }),
      ),
      wire('TurnBegin', { user_input: [text('/compact')] }),
      wire('CompactionBegin', {}),
      wire('CompactionEnd', {}),
      wire('ContentPart', text('The context has been compacted.')),
      wire('TurnEnd', {}),
    ]);
    expect([asks, todos]).toEqual([['Round the cart.'], ['Test', 'Publish']]);
  });

  it('keeps the commands that ask the agent for something', async () => {
    const { asks } = await latest('kimi', [wire('TurnBegin', { user_input: '/skill:review cart.ts' })]);
    expect(asks).toEqual(['/skill:review cart.ts']);
  });
});

const item = (payload: object) => ({ type: 'response_item', timestamp: '2026-01-02T03:04:05.000Z', payload });
const script = (id: string, input: string, output = 'Script completed\nOutput:\n') => [
  item({ type: 'custom_tool_call', call_id: id, name: 'exec', input }),
  item({ type: 'custom_tool_call_output', call_id: id, output: [{ type: 'input_text', text: output }] }),
];

describe('Codex', () => {
  it('sets its plan in scripts, too', async () => {
    const { todos } = await latest('codex', [
      ...script('c1', 'await tools.update_plan({plan: [{step: "Old", status: "pending"}]});'),
      ...script(
        'c2',
        `const r = await tools.update_plan({ explanation: "so", plan: [
          { step: "Round \\"once\\"", status: "completed" },
          { "status": 'in_progress', "step": 'Test it' },
          {step: \`Publish\`, status: "pending"},
        ] }); text(r);`,
      ),
      ...script(
        'c3',
        'await tools.update_plan({plan: [{step: "Never", status: "pending"}]});',
        'Script failed\n',
      ),
      ...script('c4', 'await tools.update_plan({plan: computed()});'),
    ]);
    expect(todos).toEqual(['Test it', 'Publish']);
  });
});

describe('changed files', () => {
  it('are those of every tool of Claude Code that changes one, without failed calls', async () => {
    const checkpoint = await latest('claude-code', [
      ...called('t1', 'Write', { file_path: '/shop/new.ts', content: '' }),
      ...called('t2', 'MultiEdit', { file_path: '/shop/many.ts', edits: [] }),
      ...called('t3', 'NotebookEdit', { notebook_path: '/shop/note.ipynb', new_source: '' }),
      ...called('t4', 'Edit', { file_path: '/shop/failed.ts' }, true),
      ...called('t5', 'Read', { file_path: '/shop/read.ts' }),
    ]);
    expect(paths(checkpoint)).toEqual(['/shop/new.ts', '/shop/many.ts', '/shop/note.ipynb']);
  });
});
