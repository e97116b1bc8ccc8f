import { describe, expect, it } from 'vitest';
import { blockAt, blocksOf } from '../../page/blocks.js';
import { cutDocument, headingsOf, titleIn, wordsOf } from '../../page/markdown.js';

const TEXT = `---
title: Owls
---
# Owls

They hunt *mice*, see [Mice][m].
At night.

- one
- two

  more of two

[m]: mice.md

\`\`\`sh
hoot
\`\`\`
> end
`;

describe('the blocks of Markdown', () => {
  it('contain the whole text once, each line in one of them', () => {
    const blocks = cutDocument(TEXT);
    expect(blocks.map(({ start, end }) => TEXT.slice(start, end)).join('')).toBe(TEXT);
    expect(blocks.map(({ first, last }) => [first, last])).toEqual([
      [1, 3],
      [4, 5],
      [6, 8],
      [9, 9],
      [10, 15],
      [16, 18],
      [19, 19],
    ]);
    const lines = TEXT.trimEnd().split('\n');
    for (const [index] of lines.entries()) {
      const at = blockAt(blocks, index + 1);
      expect(at).not.toBe(-1);
      const { [at]: block } = blocks;
      expect(TEXT.slice(block?.start, block?.end)).toContain(lines[index]);
    }
    expect(headingsOf(blocks)).toEqual([{ depth: 1, text: 'Owls', line: 4 }]);
  });

  it('end lines where a text does: a carriage return alone does not', () => {
    const blocks = cutDocument('a\rb\n\nc\rd\n\ne\r\n');
    expect(blocks.map(({ first, last }) => [first, last])).toEqual([
      [1, 2],
      [3, 4],
      [5, 5],
    ]);
  });

  it.each([
    ['1. a\n1. b\n1. c\n', [1, 2, 3]],
    ['0. a\n1. b\n', [0, 1]],
    ['7) a\n\n7) b\n', [7, 8]],
    ['- a\n- b\n', [1, 2]],
  ])('number the items of %j', (text, numbers) => {
    const blocks = cutDocument(text);
    expect(blocks.map(({ rendered }) => Number(rendered?.tokens[0]?.attrGet('start')))).toEqual(numbers);
  });

  it.each([
    ['# Owls\n\nHunt.\n', 1],
    ['---\ntitle: Owls\n---\n\n# *Owls*\n\nHunt.\n', 4],
    ['Hunt.\n\n# Owls\n', undefined],
    ['# Mice\n\n# Owls\n', undefined],
    ['# Owls\n', undefined],
  ])('repeat a title at the beginning of %j', (text, line) =>
    expect(titleIn(cutDocument(text), 'Owls')?.first).toBe(line),
  );

  it.each([
    ['headings', '# ', '[![*_', 3_100],
    ['paragraphs', '', '*a* ', 3_900],
  ])('are not rendered where they are of too many words: %s', (_, mark, words, count) => {
    const blocks = cutDocument(`${mark}${words.repeat(count)}\n\n`.repeat(24));
    const parts = blocks.flatMap(({ rendered }) =>
      (rendered?.tokens ?? []).filter(({ type }) => type === 'inline'),
    );
    expect(parts).toHaveLength(24);
    for (const part of parts.slice(0, 3)) expect(wordsOf(part, {})).toBeUndefined();
    for (const { text } of headingsOf(blocks)) expect(text.length).toBeLessThanOrEqual(300);
  });

  it('find their words once', () => {
    const [{ rendered } = {}] = cutDocument('They hunt *mice*.\n');
    const [, part] = rendered?.tokens ?? [];
    const words = part && wordsOf(part, {});
    expect(words?.map(({ content }) => content).join('')).toBe('They hunt mice.');
    expect(part && wordsOf(part, {})).toBe(words);
  });

  it.each([
    ['a nesting that the parser would cut off', `${'>'.repeat(500)} deep\n`],
    ['a long line', `${'word '.repeat(10_000)}\n`],
    ['a table of many rows', `|a|\n|-|\n${'|b|\n'.repeat(5_000)}`],
    ['definitions alone', '[a]: b.md\n'],
  ])('are lines as they are written in %s', (_, text) => {
    const blocks = cutDocument(text);
    expect(blocks.some(({ rendered }) => rendered !== undefined)).toBe(false);
    expect(blocks.map(({ start, end }) => text.slice(start, end)).join('')).toBe(text);
    expect(blocks).toEqual(blocksOf(text, null, () => false));
  });
});
