import { describe, expect, it } from 'vitest';
import { type CheckpointEvent, CheckpointRecorder } from '../../src/checkpoint/index.js';

const said = (text: string, more = {}): CheckpointEvent => ({
  kind: 'turn',
  role: 'user',
  spoken: true,
  parts: [{ kind: 'text', text }],
  ...more,
});
const answered = (text: string): CheckpointEvent => ({ ...said(text), role: 'assistant' }) as CheckpointEvent;
let calls = 0;
/** A call with its result. */
function called(name: string, input: unknown, error?: string): CheckpointEvent[] {
  calls += 1;
  const id = `call ${calls}`;
  return [
    { kind: 'turn', role: 'assistant', spoken: true, parts: [{ kind: 'call', id, name, input }] },
    {
      kind: 'turn',
      role: 'user',
      spoken: false,
      parts: [{ kind: 'result', id, text: error ?? 'done', error: error !== undefined }],
    },
  ];
}
function recorded(...events: readonly CheckpointEvent[]): CheckpointRecorder {
  const recorder = new CheckpointRecorder();
  for (const event of events) recorder.add(event);
  return recorder;
}
const compaction = {
  kind: 'summary',
  text: 'It was about carts.',
  compaction: { tokensBefore: 5000 },
} as const;

describe('checkpoints of a transcript', () => {
  it('contain requests, open items, changed files, open errors, the branch and the summary', () => {
    const { closed, open } = recorded(
      { kind: 'fact', branch: 'main' },
      said('Round the cart.\nOnce, on the total.', { at: '2026-01-02T03:04:05.000Z' }),
      ...called('TodoWrite', {
        todos: [
          { content: 'Round', status: 'completed' },
          { content: 'Test it', status: 'in_progress' },
          { content: 'Publish', status: 'pending' },
        ],
      }),
      ...called('Read', { file_path: '/shop/README.md' }),
      ...called('Write', { file_path: '/shop/cart.ts', content: '' }),
      ...called('Edit', { file_path: '/shop/cart.ts', old_string: 'a', new_string: 'b' }),
      ...called('Edit', { file_path: '/shop/gone.ts' }, 'no such file'),
      ...called('Bash', { command: 'npm test' }, '2 failed'),
      ...called('Bash', { command: 'npm run lint' }, '1 warning'),
      ...called('Bash', { command: 'npm run lint' }),
      answered('Rounded.'),
      compaction,
      said('And the tax?'),
    );
    expect(closed).toEqual([
      {
        type: 'compaction',
        number: 1,
        at: '2026-01-02T03:04:05.000Z',
        branch: 'main',
        asks: ['Round the cart.\nOnce, on the total.'],
        todos: ['Test it', 'Publish'],
        files: [{ path: '/shop/cart.ts', action: 'written' }],
        errors: [
          { tool: 'edit', subject: '/shop/gone.ts', message: 'no such file' },
          { tool: 'shell', subject: 'npm test', message: '2 failed' },
        ],
        summary: 'It was about carts.',
        tokensBefore: 5000,
      },
    ]);
    // Requests and the list go on; files and errors are those since the last checkpoint.
    expect(open).toMatchObject({
      type: 'crash',
      number: 2,
      todos: ['Test it', 'Publish'],
      files: [],
      errors: [],
    });
    expect(open.asks).toEqual(['Round the cart.\nOnce, on the total.', 'And the tax?']);
  });

  it('are one per compaction, with the files since the one before', () => {
    const { closed } = recorded(
      ...called('Write', { file_path: 'a.ts' }),
      compaction,
      ...called('Write', { file_path: 'b.ts' }),
      { ...said('[compaction summary] Again.', { spoken: false }), compaction: {} } as CheckpointEvent,
      { kind: 'fact', compaction: {} },
    );
    expect(closed.map(({ number, files }) => [number, files.map(({ path }) => path)])).toEqual([
      [1, ['a.ts']],
      [2, ['b.ts']],
      [3, []],
    ]);
    expect(closed[1]?.summary).toBe('Again.');
  });

  it('tell what precedes the last compaction together with what follows it', () => {
    const recorder = recorded(
      said('First.'),
      ...called('Write', { file_path: 'a.ts' }),
      ...called('Bash', { command: 'make' }, 'failed'),
      compaction,
      ...called('Write', { file_path: 'b.ts' }),
      ...called('Bash', { command: 'make' }),
    );
    const latest = recorder.latest(true);
    expect(latest).toMatchObject({ type: 'compaction', asks: ['First.'], errors: [], tokensBefore: 5000 });
    expect(latest.files.map(({ path }) => path)).toEqual(['a.ts', 'b.ts']);
  });

  it('tell what precedes two compactions in a row', () => {
    const recorder = recorded(
      said('First.'),
      ...called('Write', { file_path: 'a.ts' }),
      compaction,
      compaction,
    );
    expect(recorder.latest(true).files).toEqual([{ path: 'a.ts', action: 'written' }]);
  });

  it('name a file once, however its path is written', () => {
    const { open } = recorded(
      ...called('Write', { file_path: '/code/shop/src/../a.ts' }),
      ...called('Edit', { file_path: '/code/shop/./a.ts' }),
    );
    expect(open.files).toEqual([{ path: '/code/shop/a.ts', action: 'written' }]);
  });

  it.each<[boolean, string, CheckpointEvent[]]>([
    [false, 'nothing', []],
    [false, 'an answer', [said('Hello?'), answered('Hello.')]],
    [true, 'a request', [said('Hello?')]],
    [true, 'a call without a result', called('Bash', { command: 'make' }).slice(0, 1)],
    [true, 'a result', called('Bash', { command: 'make' })],
    [true, 'a thought', [said('Hello?'), answered('[reasoning] They greet.')]],
    [true, 'an error of the program', [said('Hello?'), answered('[error] overloaded')]],
    [false, 'words of the program after an answer', [answered('Hello.'), said('<note>', { spoken: false })]],
  ])('broke off: %s, after %s', (brokeOff, _, events) => {
    const recorder = recorded(...events);
    expect(recorder.brokeOff).toBe(brokeOff);
    expect(recorder.open.type).toBe(brokeOff ? 'crash' : 'auto');
  });
});
