import fc from 'fast-check';
import { fromMarkdown } from 'mdast-util-from-markdown';
import { frontmatterFromMarkdown } from 'mdast-util-frontmatter';
import { gfmFromMarkdown } from 'mdast-util-gfm';
import { frontmatter } from 'micromark-extension-frontmatter';
import { gfm } from 'micromark-extension-gfm';
import { describe, expect, it } from 'vitest';
import { blocksOf } from '../../../src/miner/chunk/blocks.js';
import { linesOf } from '../../../src/miner/chunk/lines.js';

/** Headings, fences, tables and front matter of micromark, each with its first line. */
function expected(text: string, front: boolean): string[] {
  const tree = fromMarkdown(text, {
    extensions: front ? [frontmatter(), gfm()] : [gfm()],
    mdastExtensions: [frontmatterFromMarkdown(), gfmFromMarkdown()],
  });
  return tree.children.flatMap((node) => {
    const start = node.position?.start;
    if (start === undefined) return [];
    if (node.type === 'heading') return [`${start.line} heading ${node.depth}`];
    if (node.type === 'table') return [`${start.line} table`];
    if (node.type === 'yaml') return [`${start.line} front matter`];
    const fenced = node.type === 'code' && /^ {0,3}[`~]/.test(text.slice(start.offset));
    return fenced ? [`${start.line} fence`] : [];
  });
}

function found(text: string, front: boolean): string[] {
  const lines = linesOf(text);
  return [...blocksOf(text, lines, front)].flatMap((block) => {
    let from = block.from;
    while (from < block.to && text.slice(lines[from]?.start, lines[from]?.end).trim() === '') from++;
    if (block.kind === 'heading') return [`${from + 1} heading ${block.depth}`];
    return ['table', 'fence', 'front matter'].includes(block.kind) ? [`${from + 1} ${block.kind}`] : [];
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
  it('finds the same headings, fences, tables and front matter as micromark, in any lines', () => {
    fc.assert(
      fc.property(
        fc.constantFrom('', '---\na: b\n\n# c: d\n---\n'),
        fc.array(line, { maxLength: 8 }),
        (front, lines) => {
          const text = `${front}${lines.join('\n')}\n`;
          expect(found(text, front !== '')).toEqual(expected(text, front !== ''));
        },
      ),
      { numRuns: 400 },
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

  it('recognises front matter only at the beginning, and only if it is closed', () => {
    const kinds = (text: string) => [...blocksOf(text, linesOf(text), true)].map((block) => block.kind);
    expect(kinds('---\na: b\n\nc: d\n---\ntext\n')).toEqual(['front matter', 'paragraph']);
    expect(kinds('+++\na = 1\n+++\n# h\n')).toEqual(['front matter', 'heading']);
    expect(kinds('---\na\n\nb\n')).toEqual(['paragraph', 'paragraph', 'paragraph']);
  });
});

it('a table with many padded cells takes memory for its lines, not for its cells', () => {
  const table = `${'|a'.repeat(256)}\n${'|-'.repeat(256)}\n${'|a\n'.repeat(250)}\n`;
  const text = table.repeat(40);
  const lines = linesOf(text);
  global.gc?.();
  const before = process.memoryUsage().heapUsed;
  expect(blocksOf(text, lines).length).toBeGreaterThanOrEqual(40);
  // 40 such tables have 8 million tokens: a heap of a gigabyte.
  expect(process.memoryUsage().heapUsed - before).toBeLessThan(2e8);
});
