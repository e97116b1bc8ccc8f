import { describe, expect, test } from 'vitest';
import { Activity, type ActivityTurn } from '../../src/activity/index.js';

const call = (id: string | undefined, name: string, input: unknown): ActivityTurn => ({
  role: 'assistant',
  spoken: false,
  parts: [{ kind: 'call', id, name, input }],
});
const result = (id: string, text = 'ok', error = false): ActivityTurn => ({
  role: 'user',
  spoken: false,
  parts: [{ kind: 'result', id, text, error }],
});
const said = (text: string, spoken = true): ActivityTurn => ({
  role: 'user',
  spoken,
  parts: [{ kind: 'text', text }],
});
const edit = (id: string, path: string) => call(id, 'Edit', { file_path: path });
const bash = (id: string, command: string) => call(id, 'Bash', { command });

function activityOf(...turns: ActivityTurn[]): Activity {
  const activity = new Activity();
  for (const turn of turns) activity.add(turn);
  return activity;
}

describe('touched files', () => {
  test('those of failed calls are left out, those of calls without a result are not', () => {
    const { touched, turns, calls } = activityOf(
      edit('a', 'a.ts'),
      edit('b', 'b.ts'),
      result('b', 'not found', true),
      result('a'),
      call(undefined, 'Read', { file_path: 'c.ts' }),
      edit('d', 'd.ts'),
    );
    expect(touched).toEqual([
      { path: 'a.ts', action: 'edited', turn: 0, call: 0 },
      { path: 'c.ts', action: 'read', turn: 4, call: 2 },
      { path: 'd.ts', action: 'edited', turn: 5, call: 3 },
    ]);
    expect([turns, calls]).toEqual([6, 4]);
  });

  test('a result belongs to the latest call with its id', () => {
    const { touched } = activityOf(
      edit('a', 'a.ts'),
      result('a'),
      edit('a', 'b.ts'),
      result('a', 'no', true),
      result('a', 'no', true),
    );
    expect(touched.map(({ path }) => path)).toEqual(['a.ts']);
  });
});

describe('failures', () => {
  test('a fix is the first success of the same command, with the changes between', () => {
    const { failures } = activityOf(
      edit('0', 'before.ts'),
      result('0'),
      bash('1', 'npm test'),
      result('1', 'Exit code 1\n2 tests failed', true),
      call('2', 'Read', { file_path: 'a.ts' }),
      result('2'),
      edit('3', 'a.ts'),
      result('3'),
      edit('4', 'b.ts'),
      result('4', 'String not found', true),
      bash('5', 'npm run lint'),
      result('5'),
      bash('6', 'npm  test'),
      result('6'),
      edit('7', 'after.ts'),
      bash('8', 'npm test'),
      result('8'),
    );
    expect(failures).toMatchObject([
      {
        tool: 'shell',
        command: 'npm test',
        file: undefined,
        turn: 2,
        call: 1,
        message: 'Exit code 1\n2 tests failed',
      },
      { tool: 'edit', command: undefined, file: 'b.ts', fix: undefined },
    ]);
    expect(failures[0]?.fix).toEqual({
      turn: 12,
      call: 6,
      edits: [{ path: 'a.ts', action: 'edited', turn: 6, call: 3 }],
    });
  });

  test('a failure that is repeated thousands of times costs as much as other calls', () => {
    const activity = new Activity();
    for (let round = 0; round < 8_000; round += 1) {
      const turns = [edit(`e${round}`, `${round}.ts`), result(`e${round}`), bash(`b${round}`, 'npm test')];
      for (const turn of turns) activity.add(turn);
      activity.add(result(`b${round}`, 'Exit code 1\nno such test', round < 7_999));
    }
    const { failures } = activity;
    expect(failures).toHaveLength(7_999);
    expect(failures[0]?.fix?.edits).toHaveLength(7_999);
    expect(failures.at(-1)?.fix?.edits.map(({ path }) => path)).toEqual(['7999.ts']);
  });

  test('reading a file does not fix a failed change of it; writing it does', () => {
    const turns = [
      edit('1', 'a.ts'),
      result('1', 'String not found', true),
      call('2', 'Read', { file_path: 'a.ts' }),
      result('2'),
    ];
    expect(activityOf(...turns).failures[0]?.fix).toBeUndefined();
    const written = [call('3', 'Write', { file_path: 'a.ts' }), result('3')];
    expect(activityOf(...turns, ...written).failures[0]?.fix).toMatchObject({ call: 2, edits: [] });
  });

  test('a call that the user refused neither failed nor touched its file', () => {
    const { failures, touched } = activityOf(
      edit('1', 'a.ts'),
      result('1', "The user doesn't want to proceed with this tool use.", true),
    );
    expect([failures, touched]).toEqual([[], []]);
  });

  test('long messages and commands are shortened', () => {
    const { failures } = activityOf(bash('1', 'x'.repeat(9_000)), result('1', 'y'.repeat(90_000), true));
    expect([failures[0]?.command?.length, failures[0]?.message.length]).toEqual([2_000, 4_000]);
  });
});

describe('todos', () => {
  const todos = (...turns: ActivityTurn[]) =>
    activityOf(...turns).todos.map(({ text, status }) => `${status} ${text}`);

  test.each<[string, unknown]>([
    [
      'TodoWrite',
      {
        todos: [
          { content: 'A', status: 'completed' },
          { content: 'B', status: 'in_progress' },
        ],
      },
    ],
    [
      'update_plan',
      {
        plan: [
          { step: 'A', status: 'completed' },
          { step: 'B', status: 'in_progress' },
        ],
      },
    ],
    [
      'write_todos',
      {
        todos: [
          { description: 'A', status: 'completed' },
          { description: 'B', status: 'in_progress' },
        ],
      },
    ],
    [
      'SetTodoList',
      {
        todos: [
          { title: 'A', status: 'done' },
          { title: 'B', status: 'in_progress' },
        ],
      },
    ],
  ])('%s gives the whole list', (name, input) => {
    expect(todos(call('1', name, input), result('1'))).toEqual(['completed A', 'in_progress B']);
    expect(todos(call(undefined, name, input))).toEqual(['completed A', 'in_progress B']);
  });

  test('the last list counts, unless its call failed or only asked for it', () => {
    const write = (id: string, content: string) =>
      call(id, 'todowrite', { todos: [{ content, status: 'pending' }] });
    expect(
      todos(
        write('1', 'A'),
        result('1'),
        write('2', 'B'),
        result('2'),
        write('3', 'C'),
        result('3', 'no', true),
      ),
    ).toEqual(['pending B']);
    expect(todos(write('1', 'A'), result('1'), call('2', 'TodoList', {}), result('2'))).toEqual([
      'pending A',
    ]);
    expect(todos(write('1', 'A'), result('1'), call('2', 'TodoWrite', { todos: [] }), result('2'))).toEqual(
      [],
    );
  });

  test('items one by one, and as Markdown', () => {
    expect(
      todos(
        call('1', 'TaskCreate', { subject: 'A' }),
        result('1', 'Task #1 created successfully: A'),
        call('2', 'TaskCreate', { subject: 'B' }),
        result('2', 'Task #2 created successfully: B'),
        call('3', 'TaskCreate', { subject: 'C' }),
        result('3', 'Task #3 created successfully: C'),
        call('4', 'TaskUpdate', { taskId: '1', status: 'completed' }),
        result('4'),
        call('5', 'TaskUpdate', { taskId: '2', status: 'deleted' }),
        result('5'),
        call('6', 'TaskUpdate', { taskId: '3', subject: 'D', status: 'in_progress' }),
        result('6'),
      ),
    ).toEqual(['completed A', 'in_progress D']);
    expect(todos(call('1', 'update_todo', { todos: '- [x] A\n- [ ] B\nno item' }), result('1'))).toEqual([
      'completed A',
      'pending B',
    ]);
  });
});

test('asks are the last texts of the user, verbatim, without the header of the session and injected texts', () => {
  const header = '[session: Cart | /home/dev/shop | 2026-11-22]';
  const { asks } = activityOf(
    said(header),
    said('  First?\n'),
    said('injected', false),
    { ...said('an answer'), role: 'assistant' },
    ...Array.from({ length: 9 }, (_, index) => said(`Ask ${index}`)),
    said(header),
  );
  expect(asks.length).toBe(10);
  expect(asks[0]).toEqual({ text: 'Ask 0', turn: 4 });
  expect(asks.at(-1)?.text).toBe(header);
  expect(activityOf(said(header), said('  First?\n')).asks).toEqual([{ text: '  First?\n', turn: 1 }]);
});
