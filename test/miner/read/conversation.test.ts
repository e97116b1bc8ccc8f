import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { CheckpointRecorder } from '../../../src/checkpoint/index.js';
import { HEAD, MAX, SLACK, TAIL } from '../../../src/miner/chunk/limits.js';
import { createSanitiser } from '../../../src/sanitiser/index.js';
import { called, chunksOf, gave, record, said, segmentsOf, textOf } from './transcripts.js';

const header = record('user', [said('[session: Fix login | /p/x | 2026-03-04]')]);

describe('a transcript as text', () => {
  it('reads like a conversation, with every result after its call', async () => {
    const segments = await segmentsOf([
      header,
      record('user', [said('Why does the login fail?\n\n> it says 401\n    and indents')]),
      record('assistant', [
        { type: 'thinking', thinking: 'Look first.' },
        said('I look.'),
        called('a', 'bash', { command: 'ls -la', description: 'List files' }),
        said('Then I edit.'),
        called('b', 'edit', {
          filePath: 'a.ts',
          oldString: 'x\n  "y"',
          newString: '',
          edits: [{ with: 'a\nb' }],
          all: true,
        }),
      ]),
      record('user', [
        gave('b', 'no such text', true),
        gave('a', [said('total 0'), { type: 'image', source: { media_type: 'image/png', data: 'AAAA' } }]),
      ]),
      record('assistant', 'Done.'),
    ]);
    expect(textOf(segments)).toBe(`[session: Fix login | /p/x | 2026-03-04]

User:
Why does the login fail?

> it says 401
    and indents

Assistant:
[reasoning] Look first.

I look.

[tool bash] ls -la
description: List files

[result]
total 0
[image image/png]

Assistant:
Then I edit.

[tool edit] a.ts
oldString:
x
  "y"
newString:
edits.0.with:
a
b
all: true

[result: error]
no such text

Assistant:
Done.

`);
    expect(chunksOf(segments)).toHaveLength(1);
    expect(segments[0]?.chunks[0]).toMatchObject({
      context: 'Why does the login fail? > it says 401 and indents',
      contentDate: '2026-03-04',
      lineStart: 1,
      lineEnd: textOf(segments).trimEnd().split('\n').length,
    });
    expect(segments[0]?.messages).toHaveLength(5);
  });

  it('separates exchanges and gives each its question', async () => {
    const segments = await segmentsOf([
      record('user', 'First?'),
      record('assistant', [said('One.'), called('t', 'read', { filePath: 'a' })]),
      record('user', [gave('t', 'content')]),
      record('user', 'Second?', { timestamp: '2026-03-05T23:59:59.000-05:00' }),
      record('assistant', 'Two.', { timestamp: '2026-03-06T05:00:00.000Z' }),
    ]);
    expect(chunksOf(segments).map(({ text, context, contentDate }) => [text, context, contentDate])).toEqual([
      ['User:\nFirst?\n\nAssistant:\nOne.\n\n[tool read] a\n\n[result]\ncontent\n\n', 'First?', '2026-03-04'],
      ['User:\nSecond?\n\nAssistant:\nTwo.\n\n', 'Second?', '2026-03-06'],
    ]);
  });

  it('names the main speaker of a chunk', async () => {
    const roles = async (...lines: string[]) => chunksOf(await segmentsOf(lines)).map((chunk) => chunk.role);
    expect(await roles(record('user', 'why '.repeat(100)), record('assistant', 'so'))).toEqual(['user']);
    expect(await roles(record('user', 'why'), record('assistant', 'so '.repeat(100)))).toEqual(['assistant']);
    const call = record('assistant', [called('t', 'bash', { command: 'x' })]);
    expect(await roles(record('user', 'do'), call, record('user', [gave('t', 'out '.repeat(99))]))).toEqual([
      'tool',
    ]);
  });

  it('returns the text of a message by its own id', async () => {
    const more = { messageId: 'msg_1' };
    const segments = await segmentsOf([
      record('user', 'x', { messageId: 'msg_0' }),
      record('assistant', [called('t', 'bash', { command: 'x' })], more),
      record('user', [gave('t', 'y')], more),
      record('user', [], { messageId: 'msg_2' }),
    ]);
    expect(segments[0]?.messages).toEqual(['msg_0', 'msg_1', 'msg_2']);
  });

  it('removes injected text from user messages and tool results, and nothing from answers', async () => {
    const reminder = '<system-reminder>\nBe brief.\n</system-reminder>';
    const lines = [
      record('user', `Why?\n${reminder}`, { messageId: 'msg_0' }),
      record('assistant', [said(`You wrote ${reminder}`), called('t', 'read', { filePath: 'a' })]),
      record('user', [gave('t', [said(`text\n\n${reminder}`)])]),
      record('user', [said(reminder), said('<session-start-hook>ok</session-start-hook>')], {
        messageId: 'msg_1',
      }),
      record('assistant', 'So.'),
    ];
    const sanitiser = await createSanitiser({ redact: true });
    const segments = await segmentsOf(lines, { sanitiser });
    expect(textOf(segments)).toBe(
      `User:\nWhy?\n\n\nAssistant:\nYou wrote ${reminder}\n\n[tool read] a\n\n[result]\ntext\n\n\n\nAssistant:\nSo.\n\n`,
    );
    expect(segments.map(({ redacted }) => redacted)).toEqual([{ injected: 4 }]);
    expect(segments[0]?.messages).toContain('msg_1');
    expect(chunksOf(segments).map(({ context }) => context)).toEqual(['Why?']);
    // Staged text was sanitised by the feeder.
    expect(textOf(await segmentsOf(lines)).match(/<system-reminder>/g)).toHaveLength(4);
  });

  it("reads Claude Code's own files: other records are left out, and its own text starts no exchange", async () => {
    const segments = await segmentsOf([
      JSON.stringify({ type: 'summary', summary: 'About login', leafUuid: 'x' }),
      JSON.stringify({ type: 'file-history-snapshot', snapshot: {} }),
      record('user', 'Question'),
      record('user', 'Caveat', { isMeta: true }),
      record('assistant', [{ type: 'redacted_thinking', data: 'zzz' }, said('Answer')]),
      JSON.stringify({ type: 'system', content: 'x' }),
      record('user', 'What was said before', { isCompactSummary: true }),
    ]);
    expect(chunksOf(segments).map((chunk) => chunk.text)).toEqual([
      '[summary] About login\n\nUser:\nQuestion\n\nUser:\nCaveat\n\nAssistant:\nAnswer\n\n',
      'User:\n[compaction summary] What was said before\n\n',
    ]);
    expect(segments.at(-1)?.problems).toEqual([]);
  });

  it('tells a recorder the line at which the text goes on after each compaction, after the calls that wait, and at its end', async () => {
    const recorder = new CheckpointRecorder();
    const segments = await segmentsOf(
      [
        record('user', 'Question\r\nof two lines'),
        record('assistant', [called('a', 'bash', { command: 'ls' })]),
        record('user', 'What was said', { isCompactSummary: true, isMeta: true }),
        record('user', [gave('a', 'total 0')]),
        record('assistant', [said('Answer')]),
        JSON.stringify({ type: 'fact', compaction: { tokensBefore: 5 } }),
        record('user', 'More'),
      ],
      { recorder },
    );
    const lines = textOf(segments).split('\n');
    const { closed, open } = recorder;
    expect(closed.map(({ line = 0 }) => lines.slice(line - 1, line + 1))).toEqual([
      ['User:', '[compaction summary] What was said'],
      ['User:', 'More'],
    ]);
    expect(open.line).toBe(lines.length);
  });

  it('renders a result without a call, and a call without a result', async () => {
    const text = textOf(
      await segmentsOf([
        record('user', 'x'),
        record('assistant', [
          called('lost', 'bash', { command: 'a\nb' }),
          called('n', 'todo', { todos: [{ content: 'c', done: false }] }),
        ]),
        record('user', [gave('unknown', 'late')]),
        record('user', 'y'),
      ]),
    );
    expect(text).toBe(
      'User:\nx\n\n[tool bash]\na\nb\n\n[tool todo]\ntodos.0.content: c\ntodos.0.done: false\n\n[result]\nlate\n\nUser:\ny\n\n',
    );
  });
});

describe('a damaged transcript', () => {
  it('loses only unreadable lines, and names them', async () => {
    const lines = [
      record('user', 'x'),
      '{"type":',
      '[1]',
      '',
      JSON.stringify({ type: 'user', message: 3 }),
      record('assistant', 'y'),
    ];
    const segments = await segmentsOf(`${lines.join('\n')}\n{"type":"assistant","mess`);
    expect(textOf(segments)).toBe('User:\nx\n\nAssistant:\ny\n\n');
    expect(segments.flatMap((segment) => segment.problems)).toEqual([
      { line: 2, reason: 'not JSON (a line that was cut off?)' },
      { line: 3, reason: 'not a transcript record' },
      { line: 5, reason: 'user record without a readable message' },
      { line: 7, reason: 'not JSON (a line that was cut off?)' },
    ]);
  });

  it.each([
    ['', 0],
    ['{"name":"x"}\n{"a":1}', 0],
    ['{"type":"summary","summary":"x"}', 0],
  ])('without a turn is refused: %j', async (text, line) => {
    const segments = await segmentsOf(text);
    expect(textOf(segments)).toBe('');
    expect(chunksOf(segments)).toEqual([]);
    expect(segments.flatMap((segment) => segment.problems)).toEqual([{ line, reason: 'not a transcript' }]);
  });

  it('is read even if a character is split', async () => {
    const segments = await segmentsOf([record('user', 'a\ud83d b'), record('assistant', '🐝\u0000')]);
    expect(textOf(segments)).toBe('User:\na\ufffd b\n\nAssistant:\n🐝\u0000\n\n');
  });
});

describe('a raw transcript', () => {
  it('is sanitised block by block, and counts redactions', async () => {
    const hide = (text: string) => text.replaceAll('secret', '[GONE]');
    const sanitiser = {
      clean: async (text: string) => ({
        text: hide(text),
        redacted: { word: text.split('secret').length - 1 },
      }),
      cleanValue: async (value: unknown) => ({
        value: JSON.parse(hide(JSON.stringify(value))),
        redacted: { word: 1 },
      }),
    };
    const segments = await segmentsOf(
      [
        record('user', 'a secret'),
        record('assistant', [called('t', 'bash', { command: 'cat secret' })]),
        record('user', [gave('t', 'secret secret')]),
      ],
      { sanitiser },
    );
    expect(textOf(segments)).toBe('User:\na [GONE]\n\n[tool bash] cat [GONE]\n\n[result]\n[GONE] [GONE]\n\n');
    expect(segments[0]?.redacted).toEqual({ word: 4 });
  });
});

const text = fc.oneof(
  fc.string({ unit: 'grapheme', maxLength: 300 }),
  fc
    .array(
      fc.constantFrom('word', '\n\n', '```\n', '# x\n', '\r\n', 'A sentence.', ' ', '- item\n', '[result]\n'),
      { maxLength: 300 },
    )
    .map((list) => list.join(' ')),
);
const output = fc.oneof(
  text,
  fc.nat(9000).map((length) => 'out put\n'.repeat(Math.ceil(length / 8)).slice(0, length)),
  fc.nat(9000).map((length) => 'x'.repeat(length)),
);
const step = fc.record({ words: text, input: output, output, answered: fc.boolean() });
const exchange = fc.record({
  question: text.map((words) => `Q ${words}`),
  steps: fc.array(step, { maxLength: 4 }),
});
type Exchange = {
  question: string;
  steps: { words: string; input: string; output: string; answered: boolean }[];
};

function lines({ question, steps }: Exchange, at: number): string[] {
  return [
    record('user', question),
    ...steps.flatMap(({ words, input, output, answered }, index) => {
      const id = `call-${at}-${index}`;
      const call = record('assistant', [said(words), called(id, 'write', { path: 'p', content: input })]);
      return answered ? [call, record('user', [gave(id, output)])] : [call];
    }),
  ];
}

describe('chunks of a transcript', () => {
  it('contain the whole text in order, except the middles of long inputs and outputs', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(exchange, { minLength: 1, maxLength: 4 }), async (exchanges) => {
        const segments = await segmentsOf([header, ...exchanges.flatMap(lines)]);
        const whole = textOf(segments);
        const chunks = chunksOf(segments);
        let at = 0;
        let gaps = 0;
        for (const chunk of chunks) {
          expect(whole.slice(chunk.start, chunk.end)).toBe(chunk.text);
          expect(chunk.text.trim().length).toBeLessThanOrEqual(1600 + 200);
          if (chunk.start !== at) gaps++;
          at = chunk.end;
        }
        expect(at).toBe(whole.length);
        const long = (length: number) => (length > HEAD + TAIL + SLACK ? 1 : 0);
        const steps = exchanges.flatMap(({ steps }) => steps);
        const inputs = steps.map(({ input }) =>
          long(
            `[tool write] p\ncontent:${/[\r\n]/.test(input) ? '\n' : input === '' ? '' : ' '}${input}`.length,
          ),
        );
        const outputs = steps.map(({ answered, output }) => (answered ? long(output.length) : 0));
        expect(gaps).toBe([...inputs, ...outputs].reduce((sum: number, one) => sum + one, 0));
        const joined = chunks.map((chunk) => chunk.text).join('');
        for (const { question, steps } of exchanges) {
          expect(joined).toContain(question);
          for (const { words } of steps) if (words.trim() !== '') expect(joined).toContain(words);
        }
      }),
      { numRuns: 60 },
    );
  });

  it('are unchanged when an exchange is appended', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(exchange, { minLength: 2, maxLength: 4 }), async (exchanges) => {
        const parts = exchanges.map(lines);
        const shape = async (count: number) =>
          chunksOf(await segmentsOf([header, ...parts.slice(0, count).flat()]));
        const all = await shape(parts.length);
        for (let count = 1; count < parts.length; count++) {
          const before = await shape(count);
          expect(all.slice(0, before.length)).toEqual(before);
        }
      }),
      { numRuns: 40 },
    );
  });

  it('have head and tail of a long output, cut at lines', async () => {
    const output = Array.from({ length: 500 }, (_, index) => `line ${index} of the output`).join('\n');
    const call = record('assistant', [called('t', 'bash', { command: 'x' })]);
    const segments = await segmentsOf([record('user', 'q'), call, record('user', [gave('t', output)])]);
    expect(textOf(segments)).toContain(output);
    const chunks = chunksOf(segments);
    const cut = chunks.findIndex((chunk, index) => chunk.end !== (chunks[index + 1]?.start ?? chunk.end));
    expect(chunks[cut]?.text).toMatch(/output\n$/);
    expect(chunks[cut + 1]?.text).toMatch(/^line \d+ of/);
    const kept = chunks.reduce((sum, chunk) => sum + chunk.text.length, 0);
    expect(kept).toBeGreaterThan(HEAD + TAIL - 512);
    expect(kept).toBeLessThan(HEAD + TAIL + 100);
    for (const chunk of chunks)
      expect(textOf(segments).split('\n')[chunk.lineStart - 1]).toBe(chunk.text.split('\n')[0]);
  });

  it('cut a long answer at paragraphs, keeping fences whole', async () => {
    const fence = `\`\`\`js\n${'call();\n\n'.repeat(100)}\`\`\``;
    const answer = `${'Some words. '.repeat(40)}\n\n${fence}\n\n${'More words. '.repeat(60)}\n\n${'Last words. '.repeat(60)}`;
    const chunks = chunksOf(await segmentsOf([record('user', 'q'), record('assistant', answer)]));
    expect(chunks.some((chunk) => chunk.text.includes(fence))).toBe(true);
    expect(chunks.filter((chunk) => /^(?:User|Some|```js|More|Last)/.test(chunk.text))).toHaveLength(
      chunks.length,
    );
    expect(chunks.filter((chunk) => chunk.text.trim().length > MAX)).toHaveLength(0);
  });
});

describe('a huge transcript', () => {
  it('is read in segments, even within one output, and never as a whole', async () => {
    const output = 'line of output\n'.repeat(200_000);
    const call = record('assistant', [called('t', 'bash', { command: 'x' })]);
    const segments = await segmentsOf([
      record('user', 'q'),
      call,
      record('user', [gave('t', output)]),
      record('user', 'next'),
    ]);
    expect(segments.length).toBeGreaterThan(3);
    for (const segment of segments) expect(segment.text.length).toBeLessThanOrEqual(1024 * 1024);
    expect(textOf(segments)).toBe(`User:\nq\n\n[tool bash] x\n\n[result]\n${output}\n\nUser:\nnext\n\n`);
    expect(chunksOf(segments).at(-1)).toMatchObject({ text: 'User:\nnext\n\n', lineStart: 200_009 });
  });
});
