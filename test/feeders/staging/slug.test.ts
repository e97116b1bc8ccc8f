import { basename } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { oneLine, roomOf, titleOf, transcriptName } from '../../../src/feeders/staging/slug.js';

const ID = 'ses_e0008d7e7ffeCkf2keY0fSFq4k';

describe('transcriptName', () => {
  it.each([
    ['eager-star', 'Add tax', `eager-star_${ID}.jsonl`],
    ['', 'Add tax to the total', `add-tax-to-the-total_${ID}.jsonl`],
    ['', '日本語 🎉 naïve café', `naive-cafe_${ID}.jsonl`],
    ['../../etc', 'x', `etc_${ID}.jsonl`],
    ['', '....', `session_${ID}.jsonl`],
    ['', 'x'.repeat(5_000), `${'x'.repeat(60)}_${ID}.jsonl`],
    ['Ünï', 'x', `uni_${ID}.jsonl`],
  ])('turns %j and %j into a file name', (slug, title, expected) => {
    expect(transcriptName(slug, title, ID)).toBe(expected);
  });

  it('is always a short file name that is not reserved', () => {
    const odd = fc.oneof(
      fc.string({ unit: 'binary' }),
      fc.constantFrom(
        'CON',
        'nul',
        '..',
        '.',
        '../..',
        '/',
        '\\',
        'a/../../b',
        '\0',
        ' ',
        '-',
        'x'.repeat(5_000),
      ),
    );
    fc.assert(
      fc.property(odd, odd, odd, (slug, title, id) => {
        const name = transcriptName(slug, title, id);
        expect(name).toMatch(/^[a-z0-9][a-z0-9-]*_[A-Za-z0-9_-]*\.jsonl$/);
        expect(basename(name)).toBe(name);
        expect(Buffer.byteLength(name)).toBeLessThanOrEqual(120);
        expect(name.replace(/\..*/, '')).not.toMatch(/^(con|prn|aux|nul|com\d|lpt\d)$/i);
      }),
    );
  });

  it('distinguishes sessions by their ids, for any ids', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), fc.string({ unit: 'binary' }), (a, b) => {
        fc.pre(a !== b);
        expect(transcriptName('s', 't', a)).not.toBe(transcriptName('s', 't', b));
      }),
    );
  });
});

describe('titles and rooms', () => {
  it('are on one line, without control characters', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        for (const shown of [oneLine(text), titleOf(text), roomOf(text)]) {
          expect(shown).not.toMatch(/[\p{Cc}\u2028\u2029]/u);
          expect(shown).toBe(shown.trim());
        }
        expect(titleOf(text)).not.toBe('');
        expect(roomOf(text)).not.toMatch(/^\.{0,2}$|[/\\]/);
      }),
    );
  });

  it.each([
    ['/home/dev/proj/web-shop', 'web-shop'],
    ['/home/dev/proj/My Projekt ü/', 'My Projekt ü'],
    ['C:\\work\\shop', 'shop'],
    ['C:\\', 'general'],
    ['/', 'general'],
    ['', 'general'],
    ['/a/..', 'general'],
  ])('%j is the room %j', (directory, room) => {
    expect(roomOf(directory)).toBe(room);
  });
});
