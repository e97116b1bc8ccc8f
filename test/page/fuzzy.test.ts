import { describe, expect, it } from 'vitest';
import { found } from '../../page/fuzzy.js';

const all = [
  'Home',
  'Sources',
  'Rounding money – shop',
  'Über uns',
  'src/cart.ts',
  'The rounding of refunds',
];

describe('what is typed into the palette', () => {
  it.each([
    ['', all],
    ['round', ['Rounding money – shop', 'The rounding of refunds']],
    ['shop round', ['Rounding money – shop']],
    ['refund rounding', ['The rounding of refunds']],
    ['uber', ['Über uns']],
    ['art.', ['src/cart.ts']],
    ['crt', ['src/cart.ts']],
    ['xyz', []],
    ['osu', []],
    ['(', []],
  ])('%j finds %j', (words, expected) => {
    expect(found(all, words, (text) => text)).toEqual(expected);
  });

  it('finds beginnings of words before other places', () => {
    expect(found(['cart', 'art'], 'art', (text) => text)).toEqual(['art', 'cart']);
  });
});
