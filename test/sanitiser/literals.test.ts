import fc from 'fast-check';
import { expect, it } from 'vitest';
import { scanFor } from '../../src/sanitiser/literals.js';

const LITERALS = [
  { text: 'token', anyCase: true },
  { text: 'to', anyCase: false },
  { text: 'token_key', anyCase: true },
  { text: '://', anyCase: false },
  { text: 'Q~', anyCase: false },
  { text: 'aaa', anyCase: true },
  { text: '$1$', anyCase: false },
];
const scan = scanFor(LITERALS);

function placesIn(text: string): [string, number][] {
  const places: [string, number][] = [];
  scan(text, (literal, place) => places.push([LITERALS[literal]?.text ?? '', place]));
  return places;
}

/** The same by trying every literal at every position, the longest first. */
function expectedIn(text: string): [string, number][] {
  const longestFirst = [...LITERALS].sort((one, other) => other.text.length - one.text.length);
  return [...text].flatMap((_, place) =>
    longestFirst
      .filter(({ text: literal, anyCase }) => {
        const found = text.slice(place, place + literal.length);
        return (anyCase ? found.toLowerCase() : found) === literal;
      })
      .map(({ text: literal }): [string, number] => [literal, place]),
  );
}

it('finds each literal at each position, in order, like the naive search', () => {
  const piece = fc.oneof(
    fc.constantFrom(...LITERALS.map(({ text }) => text), 'TOKEN', 'To', 'A', 'a', 'q~', ':/', 'é', '\0'),
    fc.string({ maxLength: 3, unit: fc.constantFrom('t', 'o', 'k', 'Q', '~', ':', '/', '$', '1', 'ÿ') }),
  );
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 30 }), (pieces) => {
      const text = pieces.join('');
      expect(placesIn(text)).toEqual(expectedIn(text));
    }),
    { numRuns: 2_000 },
  );
});

it('finds a match across the border of two blocks once', () => {
  for (let before = 65_520; before <= 65_545; before += 1) {
    const text = `${' '.repeat(before)}Token_Key${' '.repeat(70_000)}://`;
    expect(placesIn(text)).toEqual([
      ['token_key', before],
      ['token', before],
      ['://', before + 70_009],
    ]);
  }
});

it('does not see the rest of a longer text after the end of a shorter one', () => {
  expect(placesIn('token_key://')).toHaveLength(4);
  for (const text of ['tok', ':/', 'Q', 't', ':', ''])
    expect(placesIn(text).map(([at]) => at)).toEqual(text === 'tok' ? ['to'] : []);
});

it('may report a character above U+00FF as its low byte: a position is a hint', () => {
  expect(placesIn('Q\u017e')).toEqual([['Q~', 0]]);
  expect(placesIn('token \u{1F600} Q~')).toEqual([
    ['token', 0],
    ['to', 0],
    ['Q~', 9],
  ]);
});
