import { describe, expect, it } from 'vitest';
import { blockAt, blocksOf } from '../../page/blocks.js';
import { cutDocument, headingsOf } from '../../page/markdown.js';

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
      const block = blocks[blockAt(blocks, index + 1)];
      expect(TEXT.slice(block?.start, block?.end)).toContain(lines[index]);
    }
    expect(headingsOf(blocks)).toEqual([{ depth: 1, text: 'Owls', line: 4 }]);
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
