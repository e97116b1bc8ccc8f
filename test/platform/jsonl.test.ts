import { describe, expect, it } from 'vitest';
import { MAX_LINE_BYTES, readLines } from '../../src/platform/jsonl.js';
import { withFile } from '../miner/read/transcripts.js';

const linesOf = (text: string, start?: number) =>
  withFile(text, async (path) => {
    const lines: [number, string | undefined][] = [];
    for await (const line of readLines(path, start)) lines.push([line.number, line.text]);
    return lines;
  });

describe('lines of a file', () => {
  it('have their numbers in the file, without blank lines', async () => {
    expect(await linesOf('a\n\n  \nb\r\nc')).toEqual([
      [1, 'a'],
      [4, 'b\r'],
      [5, 'c'],
    ]);
    expect(await linesOf('')).toEqual([]);
    expect(await linesOf('a\u2028b\u2029c\rd\ne')).toEqual([
      [1, 'a\u2028b\u2029c\rd'],
      [2, 'e'],
    ]);
  });

  it('can span several reads', async () => {
    const long = '🐝'.repeat(200_000);
    expect(await linesOf(`${long}\nb\n${long}`)).toEqual([
      [1, long],
      [2, 'b'],
      [3, long],
    ]);
  });

  it('are skipped when they are longer than the bound', async () => {
    const tooLong = 'x'.repeat(MAX_LINE_BYTES + 1);
    expect(await linesOf(`a\n${tooLong}\nb\n`)).toEqual([
      [1, 'a'],
      [2, undefined],
      [3, 'b'],
    ]);
  });

  it('of a part of a file are the same, whether the file is read at once or not', async () => {
    const more = 'x'.repeat(300_000);
    for (const rest of ['', more]) {
      const text = `a\nb\nc\n${rest}`;
      expect((await linesOf(text, 2)).slice(0, 2)).toEqual([
        [1, 'b'],
        [2, 'c'],
      ]);
      expect((await linesOf(text, 4))[0]).toEqual([1, 'c']);
    }
  });
});
