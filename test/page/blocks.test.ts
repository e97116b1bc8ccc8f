import { describe, expect, it } from 'vitest';
import { type Block, blockAt, blocksOf, headFrom, lastLineOf } from '../../page/blocks.js';
import { finderOf, linesWith } from '../../page/find.js';

const open = () => false;
const joined = (text: string, blocks: readonly Block[]) =>
  blocks.map(({ start, end }) => text.slice(start, end)).join('');
const at = (blocks: readonly Block[], line: number) => blocks[blockAt(blocks, line)];

describe('the blocks of a text', () => {
  it('are the whole text, with the numbers of their lines', () => {
    const lines = Array.from({ length: 1234 }, (_, index) => `line ${index + 1}`);
    for (const text of [lines.join('\n'), `${lines.join('\n')}\n`]) {
      const blocks = blocksOf(text, null, open);
      expect(joined(text, blocks)).toBe(text);
      for (const { start, end, first, last } of blocks)
        expect(text.slice(start, end).trimEnd().split('\n')).toEqual(lines.slice(first - 1, last));
      expect(at(blocks, 777)).toMatchObject({ first: 751, last: 800 });
      expect([blockAt(blocks, 0), blockAt(blocks, 1235)]).toEqual([-1, -1]);
    }
  });

  it('are small, however long a line is; no character is cut', () => {
    const text = `short\n${'😀'.repeat(50_001)}\nlast\n`;
    const blocks = blocksOf(text, null, open);
    expect(joined(text, blocks)).toBe(text);
    expect(Math.max(...blocks.map(({ start, end }) => end - start))).toBeLessThanOrEqual(16_000);
    for (const { start, end } of blocks) expect(text.slice(start, end)).not.toMatch(/\p{Surrogate}/u);
    expect(at(blocks, 2)).toMatchObject({ first: 1, goesOn: false });
    const after = at(blocks, 3);
    expect([after?.last, after?.end]).toEqual([3, text.length]);
  });

  it('of a transcript begin with its turns; of a folded turn only the head is there', () => {
    const long = 'word\n'.repeat(120);
    const text = `Hello.\n${long}Bye.\n`;
    const turns = [
      ['user', 0],
      ['result', 7],
      ['user', 7 + long.length],
    ] as const;
    const unfolded = blocksOf(text, turns, open);
    expect(joined(text, unfolded)).toBe(text);
    expect(unfolded.map(({ role, isHead, first }) => [role, isHead, first])).toEqual([
      ['user', true, 1],
      ['result', true, 2],
      ['result', false, 52],
      ['result', false, 102],
      ['user', true, 122],
    ]);
    const folded = blocksOf(text, turns, (role) => role === 'result');
    expect(folded.map(({ turn }) => turn)).toEqual([
      [1, 1],
      [2, 121],
      [122, 122],
    ]);
    expect(at(folded, 110)).toMatchObject({ role: 'result', isFolded: true });
  });

  it('leave out turns without words, and keep the numbers of lines', () => {
    const text = 'a\n\n\nb\nc d';
    const turns = [
      ['user', 2],
      ['assistant', 4],
      ['note', 8],
    ] as const;
    const blocks = blocksOf(text, turns, open);
    expect(blocks.map(({ role, first, last }) => [role, first, last])).toEqual([
      ['note', 1, 1],
      ['assistant', 4, 5],
      ['note', 5, 5],
    ]);
  });
});

describe('a place between turns', () => {
  it('is the first turn from its line on, or the end', () => {
    const text = 'User:\na\n\nAssistant:\nb\n\n';
    const turns = [
      ['user', 0],
      ['assistant', 9],
    ] as const;
    const blocks = blocksOf(text, turns, open);
    expect([1, 2, 4, 5, 7].map((line) => headFrom(blocks, line))).toEqual([0, 1, 1, 2, 2]);
    expect([text, 'a', '', 'a\nb'].map(lastLineOf)).toEqual([5, 1, 1, 2]);
  });
});

describe('finding in a text', () => {
  it('names lines with the words, whatever the case, and takes signs as they are', () => {
    const text = 'a (b)\nİ A (B)\nc\nA (B) a (b)';
    const finder = finderOf('a (b)');
    expect(finder && linesWith(finder, text)).toEqual([1, 2, 4]);
    expect(finderOf('')).toBeUndefined();
  });
});
