import fc from 'fast-check';
import { expect, it } from 'vitest';
import { joinPieces, overlapOf } from '../../../src/feeders/mempalace/join.js';
import { theirChunks } from '../../support/chroma.js';

const PROSE = Array.from(
  { length: 60 },
  (_, n) => `Line ${n} says that number ${n * 7919} is not ${n * n}.${n % 4 === 3 ? '\n' : ''}`,
).join('\n');

it('restores a text from its windows', () => {
  const chunks = theirChunks(PROSE);
  expect(chunks.length).toBeGreaterThan(3);
  const { text, starts } = joinPieces(chunks, false);
  expect(text).toBe(PROSE.trim());
  expect(starts.map((at, index) => text.startsWith(chunks[index] ?? '', at))).not.toContain(false);
});

it('loses no character of any piece', () => {
  const word = fc.constantFrom('a', 'ab', '\n', '\n\n', ' ', '=', 'word ', '\u{1f980}');
  const piece = fc.array(word, { minLength: 1, maxLength: 400 }).map((words) => words.join(''));
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 6 }), fc.boolean(), (pieces, sliced) => {
      const { text, starts } = joinPieces(pieces, sliced);
      return pieces.every((each, index) => text.startsWith(each, starts[index]));
    }),
    { numRuns: 500 },
  );
});

it('continues in the next slice, and leaves a gap between passages', () => {
  const long = 'x'.repeat(799);
  expect(joinPieces([`${long}y`, 'end'], true).text).toBe(`${long}yend`);
  expect(joinPieces([`${long}y`, 'end'], false).text).toBe(`${long}y\n\nend`);
  expect(joinPieces(['one', 'two'], true).text).toBe('one\n\ntwo');
  // Code points, as in Python.
  expect(joinPieces([`${'\u{1f980}'.repeat(800)}`, 'end'], true).text.endsWith('\u{1f980}end')).toBe(true);
});

it('ignores a short accidental overlap, and limits the overlap of a repetitive text', () => {
  expect(overlapOf('the end', 'end of it')).toBe(0);
  expect(overlapOf('abc '.repeat(200), 'abc '.repeat(200))).toBe(100);
  const once = Array.from({ length: 150 }, (_, n) => `${n},`).join('');
  expect(overlapOf(`before ${once}`, `${once} after`)).toBe(once.length);
});
