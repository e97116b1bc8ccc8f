import { expect, it } from 'vitest';
import { counted, lastPart, namedFrom, noun } from '../../page/words.js';

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

it.each([
  ['/a/app', 'edit null/cart.js /a/app'],
  [null, 'edit /a/app/null/cart.js /a/app'],
  ['', 'edit /a/app/null/cart.js /a/app'],
])('names files from the folder %j', (folder, expected) =>
  expect(namedFrom(folder, 'edit /a/app/null/cart.js /a/app')).toBe(expected),
);

it.each([
  ['/a/app', 'app'],
  ['app', 'app'],
  ['/a/', '/a/'],
])('names %s by its last part', (path, part) => expect(lastPart(path)).toBe(part));
