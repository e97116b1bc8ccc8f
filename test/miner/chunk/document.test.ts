import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { MAX, WHOLE_MAX } from '../../../src/miner/chunk/limits.js';
import { textSegments } from '../../../src/miner/read/document.js';
import type { Chunk, Segment } from '../../../src/miner/segment.js';

function segmentsOf(text: string, name = 'a.md'): Segment[] {
  return [...textSegments(text, { name, mtimeMs: Date.UTC(2024, 0, 2) })];
}
function chunksOf(text: string, name = 'a.md'): Chunk[] {
  return segmentsOf(text, name).flatMap((segment) => segment.chunks);
}
const joined = (chunks: readonly Chunk[]) => chunks.map((chunk) => chunk.text).join('');
const handbook = readFileSync(new URL('../../fixtures/chunk/handbook.md', import.meta.url), 'utf8');

/** Paragraphs of different words, so that no two are equal. */
function paragraph(index: number, words = 20 + ((index * 7) % 45)): string {
  return `${Array.from({ length: words }, (_, at) => `w${(index * 31 + at * 17) % 997}`).join(' ')}.`;
}

const words = fc.array(fc.constantFrom('hive', 'queen', 'Ünïcödé', '蜂', '🐝', 'a', 'honey.', 'Then'), {
  maxLength: 120,
});
const fence = fc
  .tuple(
    fc.constantFrom('```', '~~~~'),
    fc.array(fc.constantFrom('# x', '', '  code();', '- y', 'zzz '.repeat(20)), { maxLength: 30 }),
  )
  .map(([mark, lines]) => [mark, ...lines, mark].join('\n'));
const block = fc.oneof(
  words.map((list) => list.join(' ')),
  words.map((list) => list.join('\n')),
  fence,
  fc.constantFrom(
    '# One',
    '## Two',
    '### Three',
    'Setext\n===',
    '> quote\n> more',
    '| a | b |\n|---|---|\n| 1 | 2 |',
    '<div>',
  ),
  fc
    .array(
      words.map((list) => `- ${list.join(' ')}`),
      { minLength: 1, maxLength: 8 },
    )
    .map((items) => items.join('\n')),
  fence.map((code) => `1. item\n\n   ${code.replaceAll('\n', '\n   ')}`),
  fc.string({ unit: 'binary', maxLength: 1500 }),
  fc.constantFrom(
    '\r',
    '\t',
    ' '.repeat(1200),
    'x'.repeat(2500),
    '👨‍👩‍👧‍👦'.repeat(150),
    `e${'\u0301'.repeat(30)}`.repeat(60),
  ),
);
const separator = fc.constantFrom('\n\n', '\n', '\r\n\r\n', '\r\n', '\n\n\n\n', ' ');
const document = fc
  .array(fc.tuple(block, separator), { maxLength: 12 })
  .map((parts) => parts.map((part) => part.join('')).join(''));
const name = fc.constantFrom(
  ...'a.md b/a.mdx a.txt a.rst a.adoc a.yaml a.toml a.json Dockerfile LICENSE'.split(' '),
);

describe('documents', () => {
  it('are partitioned exactly: the chunks contain every character', () => {
    fc.assert(
      fc.property(document, name, (text, file) => {
        const segments = segmentsOf(text, file);
        expect(segments.map((segment) => segment.text).join('')).toBe(text);
        const chunks = segments.flatMap((segment) => segment.chunks);
        expect(joined(chunks)).toBe(text);
        for (const chunk of chunks) expect(text.slice(chunk.start, chunk.end)).toBe(chunk.text);
      }),
      { numRuns: 300 },
    );
  });

  it('are cut into chunks of bounded size, never inside a character or a CR LF', () => {
    fc.assert(
      fc.property(document, name, (text, file) => {
        const chunks = chunksOf(text, file);
        for (const chunk of chunks) {
          expect(chunk.text.trim().length).toBeLessThanOrEqual(WHOLE_MAX + 200);
          expect(chunk.context.length).toBeLessThanOrEqual(200);
          const [before, after] = [text.charCodeAt(chunk.start - 1), text.charCodeAt(chunk.start)];
          expect(before >= 0xd800 && before <= 0xdbff && after >= 0xdc00 && after <= 0xdfff).toBe(false);
          expect(before === 13 && after === 10).toBe(false);
        }
        if (text.trim() !== '') for (const chunk of chunks) expect(chunk.text.trim()).not.toBe('');
      }),
      { numRuns: 300 },
    );
  });

  it('leave a heading alone if its text follows after a chunk of white space', () => {
    const chunks = chunksOf(`# One\n\n${' '.repeat(928)}\n\n${'word '.repeat(200)}\n`, 'a.md');
    expect(Math.max(...chunks.map(({ text }) => text.trim().length))).toBeLessThanOrEqual(WHOLE_MAX + 200);
  });

  it('have chunks with the line numbers of an editor', () => {
    fc.assert(
      fc.property(document, (text) => {
        for (const chunk of chunksOf(text)) {
          const first = chunk.start + (chunk.text.length - chunk.text.trimStart().length);
          const last = chunk.start + chunk.text.trimEnd().length;
          const lineOf = (at: number) => text.slice(0, at).split(/\r\n|\n|\r/).length;
          if (chunk.text.trim() === '') continue;
          expect([chunk.lineStart, chunk.lineEnd]).toEqual([lineOf(first), lineOf(last)]);
        }
      }),
      { numRuns: 100 },
    );
  });

  it('keep a fence or a table whole if it fits', () => {
    const gap = fc.array(
      words.map((list) => list.join(' ').replaceAll('\n', ' ')),
      { maxLength: 6 },
    );
    fc.assert(
      fc.property(fc.array(fc.tuple(gap, fence), { minLength: 1, maxLength: 8 }), (parts) => {
        const text = parts.map(([before, code]) => `${before.join('\n\n')}\n\n${code}\n\n`).join('');
        const chunks = chunksOf(text);
        let at = 0;
        for (const [, code] of parts) {
          const start = text.indexOf(code, at);
          at = start + code.length;
          const cut = chunks.some((chunk) => chunk.start > start && chunk.start < at);
          expect(cut && code.length <= WHOLE_MAX).toBe(false);
        }
      }),
      { numRuns: 100 },
    );
    const row = '| some words in a cell | and in another one |\n';
    const table = `| a | b |\n|---|---|\n${row.repeat(30)}`;
    expect(table.length).toBeGreaterThan(MAX);
    expect(
      chunksOf(`${paragraph(1, 100)}\n\n${table}\n${paragraph(2)}`).some((chunk) =>
        chunk.text.includes(table),
      ),
    ).toBe(true);
  });

  it('cut a large fence at blank lines, then at lines', () => {
    const body = Array.from(
      { length: 30 },
      (_, index) => `def f${index}():\n    a = ${index}\n    return a * ${paragraph(index, 12)}\n`,
    );
    const chunks = chunksOf(`\`\`\`\n${body.join('\n')}\`\`\`\n`);
    expect(chunks.length).toBeGreaterThan(2);
    for (const chunk of chunks.slice(1)) expect(chunk.text).toMatch(/^def f/);
  });

  it('cut a long list at its items, including an inner list', () => {
    const items = Array.from({ length: 40 }, (_, index) => `- ${paragraph(index, 15)}`);
    for (const chunk of chunksOf(items.join('\n'))) expect(chunk.text).toMatch(/^- /);
    const nested = `- top\n${items.map((item) => `  ${item}`).join('\n')}`;
    for (const chunk of chunksOf(nested)) expect(chunk.text).toMatch(/^ {0,2}- /);
  });

  it('cut a long paragraph between sentences', () => {
    const sentences = Array.from({ length: 40 }, (_, index) => `S${paragraph(index, 12)}`);
    const chunks = chunksOf(sentences.join(' '));
    expect(chunks.length).toBeGreaterThan(2);
    for (const chunk of chunks) expect(chunk.text).toMatch(/^S.*\.\s?$/s);
  });

  it('cut inside a word only if there is no other border', () => {
    const chunks = chunksOf(Array.from({ length: 600 }, (_, index) => `word${index}`).join(' '), 'a.txt');
    for (const chunk of chunks.slice(1)) expect(chunk.text).toMatch(/^word/);
    expect(chunksOf('x'.repeat(3000)).map((chunk) => chunk.text.length)).toEqual([800, 800, 800, 600]);
  });

  it('never end a chunk with a heading, and start one at main headings', () => {
    const text = Array.from(
      { length: 30 },
      (_, index) =>
        `## H${index}\n\n${paragraph(index, 60)}\n\n### S${index}\n\n${paragraph(index + 50, 90)}`,
    );
    const chunks = chunksOf(text.join('\n\n'));
    for (const chunk of chunks) expect(chunk.text.trim().split('\n').at(-1)).not.toMatch(/^#/);
    for (const chunk of chunks) expect(chunk.text.indexOf('## H')).toBeLessThanOrEqual(0);
  });

  it('change few chunks after a small change', () => {
    for (const [separator, file] of [
      ['\n\n', 'a.md'],
      ['\n', 'a.yaml'],
      [' ', 'a.txt'],
    ] as const) {
      const parts = Array.from({ length: 300 }, (_, index) => paragraph(index));
      const before = new Map<string, number>();
      for (const { text } of chunksOf(parts.join(separator), file))
        before.set(text, (before.get(text) ?? 0) + 1);
      let most = 0;
      for (const at of [3, 60, 111, 150, 222]) {
        const edited = [...parts.slice(0, at), 'One more line.', ...parts.slice(at)];
        const left = new Map(before);
        const changed = chunksOf(edited.join(separator), file).filter(({ text }) => {
          const count = left.get(text) ?? 0;
          left.set(text, count - 1);
          return count <= 0;
        });
        most = Math.max(most, changed.length);
      }
      expect(before.size).toBeGreaterThan(90);
      expect(most).toBeLessThanOrEqual(8);
    }
  });

  it('are chunked as in the example of the handbook', () => {
    const segments = segmentsOf(handbook, 'docs/handbook.md');
    expect(segments).toHaveLength(1);
    expect(segments[0]?.title).toBe("The keeper's handbook");
    const chunks = segments[0]?.chunks ?? [];
    expect(chunks.map(({ context, lineStart, contentDate }) => [context, lineStart, contentDate])).toEqual([
      ['Keeping bees', 1, '2024-05-17'],
      ['Keeping bees > Spring', 10, '2024-05-17'],
      ['Keeping bees > Summer', 25, '2024-05-17'],
      ['Keeping bees > Winter', 39, '2024-05-17'],
    ]);
    expect(chunks[1]?.text).toContain('# Not a heading');
  });
});

describe('other documents', () => {
  it('have headings', () => {
    const body = (index: number) => paragraph(index, 90);
    const rst = `Title\n=====\n\n${body(1)}\n\nPart\n----\n\n${body(2)}\n\nOther\n-----\n\n${body(3)}\n`;
    expect(chunksOf(rst, 'a.rst').map((chunk) => chunk.context)).toEqual([
      'Title',
      'Title > Part',
      'Title > Other',
    ]);
    const adoc = `= Title\n\n${body(1)}\n\n== Part\n\n${body(2)}\n`;
    expect(chunksOf(adoc, 'a.adoc').map((chunk) => chunk.context)).toEqual(['Title', 'Title > Part']);
    expect(segmentsOf(adoc, 'a.adoc')[0]?.title).toBe('Title');
    const yaml = `first:\n  - ${body(1)}\n\nsecond:\n  - ${body(2)}\n`;
    expect(chunksOf(yaml, 'a.yml').map((chunk) => chunk.context)).toEqual(['first', 'second']);
  });

  it('can be empty, or only white space', () => {
    expect(segmentsOf('')).toEqual([]);
    expect(joined(chunksOf(' \n\n '))).toBe(' \n\n ');
  });

  it('are read in several segments if they are large', () => {
    const text = Array.from({ length: 8000 }, (_, index) => paragraph(index)).join('\n\n');
    const segments = segmentsOf(text);
    expect(segments.length).toBeGreaterThan(1);
    expect(segments.map((segment) => segment.text).join('')).toBe(text);
    for (const segment of segments) {
      expect(segment.text.length).toBeLessThan(1_000_000);
      expect(joined(segment.chunks)).toBe(segment.text);
    }
  });

  it.each([
    ['open brackets', '['.repeat(300_000)],
    ['one deep quote', '>'.repeat(100_000)],
    ['many deep quotes', `${'> '.repeat(100)}x\n`.repeat(1000)],
    ['list markers', '- '.repeat(100_000)],
    ['nested lists', Array.from({ length: 700 }, (_, depth) => `${'  '.repeat(depth)}- x`).join('\n')],
    ['emphasis', '*a **b '.repeat(40_000)],
    ['one endless paragraph', 'a\n'.repeat(150_000)],
    ['lone carriage returns', 'a\r'.repeat(150_000)],
    ['open comments', '<!--\n'.repeat(50_000)],
    ['a wide table', `${'|a'.repeat(3000)}|\n${'|-'.repeat(3000)}|\n${`${'|b'.repeat(3000)}|\n`.repeat(30)}`],
    ['many tables', '|a|b|\n|-|-|\n'.repeat(20_000)],
    ['headings alone', '# a\n'.repeat(40_000)],
    ['fences', '```\n'.repeat(40_001)],
    ['combining marks', `e${'\u0301'.repeat(200_000)}`],
    ['blank lines', '\n'.repeat(300_000)],
    ['sentence ends', '.)'.repeat(150_000)],
  ])('with pathological input do not hang: %s', (_, text) => {
    // Processor time: what takes quadratic time takes minutes, and other programs do not count.
    const begin = process.cpuUsage();
    expect(joined(chunksOf(text))).toBe(text);
    expect(process.cpuUsage(begin).user).toBeLessThan(10_000_000);
  });
});
