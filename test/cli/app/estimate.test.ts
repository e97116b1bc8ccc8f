import { describe, expect, it } from 'vitest';
import { type Expected, estimate, estimateLines } from '../../../src/cli/app/estimate.js';
import { textSegments } from '../../../src/miner/read/document.js';
import { longText } from '../../support/long-text.js';

const never = new AbortController().signal;

function source(name: string, text: string, read: string[] = []): Expected {
  return {
    name,
    bytes: Buffer.byteLength(text),
    filed: undefined,
    async *segments() {
      read.push(name);
      yield* textSegments(text, { name, mtimeMs: 0 });
    },
  };
}

function drawersOf(text: string, name: string): number {
  return [...textSegments(text, { name, mtimeMs: 0 })].reduce((sum, { chunks }) => sum + chunks.length, 0);
}

describe('the estimate of a dry run', () => {
  it('is exact for a small amount', async () => {
    const texts = [longText(40_000, 1), `# Short\n\n${longText(300, 2)}`];
    const found = await estimate(
      texts.map((text, index) => source(`${index}.md`, text)),
      undefined,
      never,
    );
    expect(found.drawers).toBe(texts.reduce((sum, text, index) => sum + drawersOf(text, `${index}.md`), 0));
  });

  it('is within 15 % if only a part is read, for all sizes', async () => {
    // Short documents of one drawer each, and long ones: bytes per drawer differ by a factor of five.
    const texts = Array.from({ length: 600 }, (_, index) =>
      longText(index % 4 === 0 ? 60_000 + 137 * index : 180, index + 1),
    );
    const read: string[] = [];
    const found = await estimate(
      texts.map((text, index) => source(`${index}.md`, text, read)),
      undefined,
      never,
    );
    const truly = texts.reduce((sum, text, index) => sum + drawersOf(text, `${index}.md`), 0);
    expect(read.length).toBeLessThan(400);
    expect(Math.abs(found.drawers / truly - 1)).toBeLessThan(0.15);
  });

  it('names the largest files, or nothing without new files', async () => {
    const sources = [200, 5_000, 40_000, 900].map((chars, index) => source(`${index}.md`, longText(chars)));
    const found = await estimate(sources, undefined, never);
    expect(found.largest.map(({ name }) => name)).toEqual(['2.md', '1.md', '3.md']);
    expect(estimateLines(found)[1]).toMatch(
      /^largest: 2\.md 40\.\d kB, 1\.md 5\.\d kB, 3\.md \d+ B|1\.\d kB$/,
    );
    expect(estimateLines(await estimate([], undefined, never))).toEqual(['nothing to embed']);
  });
});
