import fc from 'fast-check';
import { fromMarkdown } from 'mdast-util-from-markdown';
import { gfmFromMarkdown } from 'mdast-util-gfm';
import { gfm } from 'micromark-extension-gfm';
import { describe, expect, it } from 'vitest';
import { blocksOf } from '../../../src/miner/chunk/blocks.js';
import { linesOf } from '../../../src/miner/chunk/lines.js';

/** Headings, fences and tables as micromark sees them, each with its first line. */
function expected(text: string): string[] {
  const tree = fromMarkdown(text, { extensions: [gfm()], mdastExtensions: [gfmFromMarkdown()] });
  return tree.children.flatMap((node) => {
    const start = node.position?.start;
    if (start === undefined) return [];
    if (node.type === 'heading') return [`${start.line} heading ${node.depth}`];
    if (node.type === 'table') return [`${start.line} table`];
    const fenced = node.type === 'code' && /^ {0,3}[`~]/.test(text.slice(start.offset));
    return fenced ? [`${start.line} fence`] : [];
  });
}

function found(text: string): string[] {
  const lines = linesOf(text);
  return [...blocksOf(text, lines)].flatMap((block) => {
    let from = block.from;
    while (from < block.to && text.slice(lines[from]?.start, lines[from]?.end).trim() === '') from++;
    if (block.kind === 'heading') return [`${from + 1} heading ${block.depth}`];
    return block.kind === 'table' || block.kind === 'fence' ? [`${from + 1} ${block.kind}`] : [];
  });
}

const line = fc.constantFrom(
  ...['# h', '## h2', '```', '~~~', '````js', '- a', '  ```', '   # x', '> q', '> ```', '', '', '', 'text'],
  ...[
    'two words',
    '| a | b |',
    '|---|---|',
    '<div>',
    '</div>',
    '<!-- x',
    '-->',
    '===',
    '---',
    '1. x',
    '  more',
  ],
  ...['* * *', '   - n', '#no', 'a | b', '- | -'],
);

describe('block scanner', () => {
  it('finds the headings, fences and tables that micromark finds, in any pile of lines', () => {
    fc.assert(
      fc.property(fc.array(line, { minLength: 1, maxLength: 9 }), (lines) => {
        const text = `${lines.join('\n')}\n`;
        expect(found(text)).toEqual(expected(text));
      }),
      { numRuns: 1000 },
    );
  });

  it('covers every line exactly once', () => {
    fc.assert(
      fc.property(fc.array(line, { maxLength: 30 }), (lines) => {
        const text = lines.join('\n');
        const records = linesOf(text);
        let next = 0;
        for (const block of blocksOf(text, records, true)) {
          expect(block.from).toBe(next);
          expect(block.to).toBeGreaterThan(next);
          next = block.to;
        }
        expect(next).toBe(records.length);
      }),
    );
  });

  it('takes front matter only at the beginning, and only when it is closed', () => {
    const kinds = (text: string) => [...blocksOf(text, linesOf(text), true)].map((block) => block.kind);
    expect(kinds('---\na: b\n\nc: d\n---\ntext\n')).toEqual(['front matter', 'paragraph']);
    expect(kinds('+++\na = 1\n+++\n# h\n')).toEqual(['front matter', 'heading']);
    expect(kinds('---\na\n\nb\n')).toEqual(['paragraph', 'paragraph', 'paragraph']);
  });
});
