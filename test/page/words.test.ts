import { expect, it } from 'vitest';
import { counted, noun } from '../../page/words.js';

it('counts in words: one, none, many', () => {
  const numbers = [0, 1, 2, 1_000];
  expect(numbers.map((count) => counted(count, 'source'))).toEqual([
    '0 sources',
    '1 source',
    '2 sources',
    '1,000 sources',
  ]);
  expect(numbers.map((count) => noun(count, 'client'))).toEqual(['clients', 'client', 'clients', 'clients']);
});
