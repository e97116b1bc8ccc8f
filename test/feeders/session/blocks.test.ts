import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { blockKey, blockOf, closingBlocks, unquoted } from '../../../src/feeders/session/blocks.js';
import { type MessageData, readMessage, readPart } from '../../../src/feeders/session/schema.js';

function message(data: Record<string, unknown>): MessageData {
  const read = readMessage(JSON.stringify(data));
  if (read.kind !== 'message') throw new Error(read.why);
  return read.data;
}

const USER = message({ role: 'user' });
const ANSWER = message({ role: 'assistant' });

function block(part: Record<string, unknown>, data = ANSWER) {
  const read = readPart(JSON.stringify(part));
  if (read.kind !== 'part') throw new Error(`not a part: ${JSON.stringify(read)}`);
  return blockOf(read.part, 'prt_1', data);
}

const tool = (state: Record<string, unknown>) => block({ type: 'tool', tool: 'bash', callID: 'c1', state });

describe('the quotes of opencode run', () => {
  it.each([
    ['"fix the bug"', 'fix the bug'],
    ['"fix the bug"\n', 'fix the bug\n'],
    ['\n "a b" ', '\n a b '],
    ['"say \\"hi\\" to them"', 'say "hi" to them'],
    ['"tell \\backslashes\\ apart"', 'tell \\backslashes\\ apart'],
    ['"ends in a backslash\\"', 'ends in a backslash\\'],
    ['"two\nlines"', 'two\nlines'],
    ['"a" and "b"', '"a" and "b"'],
    ['"half', '"half'],
    ['half"', 'half"'],
    ['say "hi"', 'say "hi"'],
    ['""', '""'],
    ['"', '"'],
    ['" "', '" "'],
    ['', ''],
  ])('of %j leave %j', (text, expected) => {
    expect(unquoted(text)).toBe(expected);
  });

  it('are removed from any prompt that opencode wraps', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (prompt) => {
        fc.pre(prompt.trim() !== '');
        expect(unquoted(`"${prompt.replaceAll('"', '\\"')}"`)).toBe(prompt);
      }),
    );
  });

  it("stay in answers, which are not the user's", () => {
    expect(block({ type: 'text', text: '"quoted"' })).toEqual({ kind: 'text', text: '"quoted"' });
    expect(block({ type: 'text', text: '"quoted"' }, USER)).toEqual({ kind: 'text', text: 'quoted' });
  });
});

describe('parts', () => {
  it.each([
    [{ type: 'text', text: 'kept' }, 'kept'],
    [{ type: 'text', text: 'kept', synthetic: false, ignored: null }, 'kept'],
    [{ type: 'text', text: ' \n ' }, undefined],
    [{ type: 'text', text: 'injected', synthetic: true }, undefined],
    [{ type: 'text', text: 'hidden', ignored: true }, undefined],
    [{ type: 'reasoning', text: 'Because.' }, '[reasoning] Because.'],
    [{ type: 'reasoning', text: '' }, undefined],
    [{ type: 'subtask', prompt: 'Review it.' }, 'Review it.'],
    [{ type: 'compaction', auto: true }, undefined],
    [
      { type: 'file', filename: 'a.png', mime: 'image/png', url: 'data:image/png;base64,AAAA' },
      '[file: a.png (image/png)]',
    ],
    [{ type: 'file', mime: 'image/png', url: 'data:image/png;base64,AAAA' }, '[file: unnamed (image/png)]'],
    [{ type: 'file', url: 'file:///home/dev/My%20Notes.md' }, '[file: My Notes.md]'],
    [{ type: 'file', filename: 'data:text/plain;base64,AAAA', mime: 'a\nb' }, '[file: unnamed (a b)]'],
    [{ type: 'file' }, '[file: unnamed]'],
  ])('%j gives %j', (part, expected) => {
    expect(block(part)).toEqual(expected === undefined ? undefined : { kind: 'text', text: expected });
  });

  it('mark the text of a compaction summary', () => {
    const summary = message({ role: 'assistant', summary: true });
    expect(block({ type: 'text', text: 'So far.' }, summary)).toEqual({
      kind: 'text',
      text: '[compaction summary] So far.',
    });
    const user = message({ role: 'user', summary: { diffs: [] } });
    expect(block({ type: 'text', text: 'Mine.' }, user)).toEqual({ kind: 'text', text: 'Mine.' });
  });
});

describe('tools', () => {
  it.each([
    ['completed', { status: 'completed', input: { a: 1 }, output: 'done\n' }, 'done\n', false],
    [
      'completed, with what the model no longer sees',
      { status: 'completed', input: {}, output: 'old', time: { compacted: 5 } },
      'old',
      false,
    ],
    ['completed without output', { status: 'completed', input: {} }, '', false],
    [
      'completed with an object',
      { status: 'completed', input: {}, output: { rows: [1] } },
      '{"rows":[1]}',
      false,
    ],
    ['failed', { status: 'error', input: {}, error: 'No such file' }, 'No such file', true],
    ['still running', { status: 'running', input: {} }, '[interrupted: the tool did not finish]', true],
    [
      'running, with output',
      { status: 'running', input: {}, metadata: { output: 'half' } },
      'half\n[interrupted: the tool did not finish]',
      true,
    ],
    [
      'in a state that is not known',
      { status: 'cancelled', input: {}, output: 'half', error: 'stopped' },
      'half\nstopped\n[state of the tool: cancelled]',
      true,
    ],
    ['not begun', { status: 'pending', input: {}, raw: '' }, '[interrupted: the tool was not run]', true],
    [
      'with attachments',
      {
        status: 'completed',
        input: {},
        output: 'read',
        attachments: [{ type: 'file', mime: 'image/png', url: 'data:image/png;base64,AA' }],
      },
      'read\n[file: unnamed (image/png)]',
      false,
    ],
  ])('%s', (_name, state, output, isError) => {
    expect(tool(state)).toMatchObject({ kind: 'tool', callId: 'c1', name: 'bash', output, isError });
  });

  it('keep their input in its own order, and the raw text of an incomplete one', () => {
    expect(JSON.stringify(tool({ status: 'completed', input: { z: 1, a: { y: 2, b: 3 } } }))).toContain(
      '"input":{"z":1,"a":{"y":2,"b":3}}',
    );
    expect(tool({ status: 'pending', input: {}, raw: '{"comm' })).toMatchObject({ input: { raw: '{"comm' } });
  });
});

describe('the end of an answer', () => {
  it.each([
    [
      { role: 'assistant', error: { name: 'MessageAbortedError', data: { message: 'Aborted' } } },
      ['[interrupted]'],
    ],
    [
      { role: 'assistant', error: { name: 'APIError', data: { message: 'Too\nmany' } } },
      ['[error: APIError: Too many]'],
    ],
    [{ role: 'assistant', error: { name: 'UnknownError' } }, ['[error: UnknownError]']],
    [{ role: 'assistant', structured: { answer: '42' } }, ['{"answer":"42"}']],
    [{ role: 'assistant' }, []],
  ])('%j gives %j', (data, expected) => {
    expect(closingBlocks(message(data))).toEqual(expected.map((text) => ({ kind: 'text', text })));
  });
});

describe('rows', () => {
  it.each([
    ['{', { kind: 'unparsed', why: 'not JSON' }],
    ['[]', { kind: 'unparsed', why: 'no type' }],
    ['{"type":"text","text":5}', { kind: 'unparsed', why: expect.stringContaining('text') }],
    ['{"type":"tool","tool":"bash"}', { kind: 'unparsed', why: expect.stringContaining('state') }],
    ['{"type":"hologram"}', { kind: 'unknown', type: 'hologram', words: false }],
    ['{"type":"constructor"}', { kind: 'unknown', type: 'constructor', words: false }],
    ['{"type":"step-finish"}', { kind: 'left-out' }],
    ['{"type":"retry"}', { kind: 'left-out' }],
  ])('%s is read as %j', (data, expected) => {
    expect(readPart(data)).toEqual(expected);
  });

  it('have the same content with any ids', () => {
    const state = { status: 'completed', input: { a: 1 }, output: 'x' };
    const one = block({ type: 'tool', tool: 'bash', callID: 'c1', state });
    const other = block({
      type: 'tool',
      tool: 'bash',
      callID: 'c2',
      state: { ...state, time: { compacted: 1 } },
    });
    const changed = block({ type: 'tool', tool: 'bash', callID: 'c1', state: { ...state, output: 'y' } });
    if (one === undefined || other === undefined || changed === undefined) throw new Error('no block');
    expect(blockKey(other)).toBe(blockKey(one));
    expect(blockKey(changed)).not.toBe(blockKey(one));
  });
});
