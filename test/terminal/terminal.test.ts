import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { jsonText, line, plain, Terminal } from '../../src/terminal/terminal.js';

describe('text for a terminal', () => {
  it('never contains control sequences of a terminal', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        expect(plain(text)).not.toMatch(
          /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/,
        );
        expect(line(text)).not.toMatch(/[\n\t]/);
      }),
    );
    expect(line('title\u001b[31m\nsecond\tline')).toBe('title\ufffd[31m second line');
  });

  it('is also safe as JSON with equal content', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        const json = jsonText({ text });
        expect(json).not.toMatch(/[\u0000-\u001f\u007f-\u009f\u2028-\u202e\u2066-\u2069]/);
        expect(JSON.parse(json)).toEqual({ text });
      }),
    );
    expect(jsonText('\u009b31m \u202e')).toBe('"\\u009b31m \\u202e"');
  });

  it('keeps ordinary text, line breaks and tabs', () => {
    expect(plain('äöü 日本語 🎉\n\tindented\r\nnext')).toBe('äöü 日本語 🎉\n\tindented\nnext');
  });
});

it('tells the program that started it how far it is, a few times per second', async () => {
  const sent: object[] = [];
  const io = {
    stdin: process.stdin,
    stdout: process.stdout,
    stderr: process.stderr,
    env: {},
    connected: true,
    send: (message: object) => sent.push(message) > 0,
  };
  const options = { json: true, quiet: false, verbose: false, color: false };
  const bar = await new Terminal(io, options).progress('filing', 'bytes');
  for (let done = 1; done <= 1_000; done += 1) bar.update(done, 1_000, 'soon');
  bar.stop();
  expect(sent[0]).toEqual({ step: 'filing', done: 1, total: 1_000, note: 'soon' });
  expect(sent.length).toBeLessThan(500);
  io.connected = false;
  const before = sent.length;
  (await new Terminal(io, options).progress('filing')).update(1, 1, '');
  expect(sent.length).toBe(before);
});
