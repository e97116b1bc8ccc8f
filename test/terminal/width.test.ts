import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { displayWidth, pad, shorten, shortenMiddle } from '../../src/terminal/width.js';

describe('columns', () => {
  it.each([
    ['plain', 5],
    ['naïve', 5],
    ['nai\u0308ve', 5],
    ['東京', 4],
    ['한국', 4],
    ['ﾊﾝ', 2],
    ['🎉', 2],
    ['👩‍👩‍👧', 2],
    ['❤️', 2],
    ['→ │ …', 5],
    ['a\u200bb', 2],
    ['', 0],
  ])('%j takes %i', (text, width) => {
    expect(displayWidth(text)).toBe(width);
  });

  it('are never exceeded by shortened text, and are filled by padding', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: 'grapheme', maxLength: 60 }),
        fc.integer({ min: 1, max: 40 }),
        (text, width) => {
          expect(displayWidth(shorten(text, width))).toBeLessThanOrEqual(width);
          expect(displayWidth(shortenMiddle(text, width))).toBeLessThanOrEqual(width);
          expect(displayWidth(pad(shorten(text, width), width))).toBe(width);
        },
      ),
    );
  });

  it('keep both ends of a path', () => {
    expect(shortenMiddle('/home/dev/shop/docs/some/where/deep/proxy.md', 24)).toBe(
      '/home/d…re/deep/proxy.md',
    );
    expect(shorten('東京都庁', 5)).toBe('東京…');
  });
});
