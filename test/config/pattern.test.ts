import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { patternProblem } from '../../src/config/pattern.js';

describe('patternProblem', () => {
  it.each([
    'ACME-\\d{4,8}',
    '[\\w-]{10,}\\.[\\w-]{10,}\\.[\\w-]{10,}',
    '(?:live|test)_[a-z0-9]{24}',
    '(?<=key: )\\S+',
    '(?:\\d{1,3}\\.){3}\\d{1,3}',
    '(?:ab)+c',
    '\\p{Lu}{2}\\d{6}',
    '[()|+*]{3}',
    '\\(a+\\)+',
    '(["\'])[^"\']{8,80}\\1',
    '(?:[A-Z0-9]{1,20} ){1,3}END',
    '(?:x+)?y',
    '😀{2}',
  ])('accepts %s', (pattern) => {
    expect(patternProblem(pattern)).toBeUndefined();
  });

  it.each([
    '(a+)+',
    '(a*)*b',
    '(?:a|aa)+$',
    '(a|b)*c',
    '(?:a?b?)*c',
    '([a-z]{1,20}){1,20}!',
    '((a+)b){2}',
    '(\\w+\\s?)*!',
    '(?<x>.*,){11}P',
    '(?=(a+)+b)a',
    '(a)(?:\\1b)+',
  ])('refuses %s: it repeats what can match in many ways', (pattern) => {
    expect(patternProblem(pattern)).toContain('many ways');
  });

  it.each([
    '',
    'a*',
    'a?|b',
    '(?:)',
    '\\b',
    '^',
    '$',
    '(?=a)',
    '(?<!a)',
    'a{0,3}',
    '(a|)',
    '(?:a?b?)',
    '(a?)\\1',
  ])('refuses %j: it matches the empty text', (pattern) => {
    expect(patternProblem(pattern)).toBe('it matches the empty text');
  });

  it.each(['(', '[a', 'a**', '\\p{Nope}', 'a{2,1}', '\\-'])(
    'refuses %s: it is no regular expression',
    (pattern) => {
      expect(patternProblem(pattern)).toMatch(/^not a regular expression: ./);
    },
  );

  const atom = fc.constantFrom(
    'a',
    'b',
    '.',
    '[ab]',
    '[^a]',
    '\\w',
    '\\b',
    '(?=a)',
    '\\u{61}',
    '\\x62',
    '\\.',
  );
  const quantifier = fc.constantFrom('', '*', '+', '?', '{2}', '{1,3}', '{0}', '{2,}', '+?');
  const pattern = fc.letrec<{ all: string; part: string }>((tie) => ({
    all: fc
      .array(fc.array(tie('part'), { maxLength: 3 }), { minLength: 1, maxLength: 2 })
      .map((alternatives) => alternatives.map((parts) => parts.join('')).join('|')),
    part: fc.oneof(
      { depthSize: 'small', withCrossShrink: true },
      fc.tuple(atom, quantifier).map((pieces) => pieces.join('')),
      fc
        .tuple(
          fc.constantFrom('(', '(?:', '(?<!'),
          tie('all'),
          fc.constantFrom(')', ')+', ')*', '){2}', ')?'),
        )
        .map((pieces) => pieces.join('')),
    ),
  })).all;

  it('accepted patterns never match the empty text, and fail quickly', () => {
    const text = `${'a'.repeat(40)}!`;
    fc.assert(
      fc.property(pattern, (source) => {
        if (patternProblem(source) !== undefined) return;
        const started = performance.now();
        for (const [match] of `${text} ab.ba`.matchAll(new RegExp(source, 'gu'))) expect(match).not.toBe('');
        expect(performance.now() - started).toBeLessThan(2_000);
      }),
      { numRuns: 3_000 },
    );
  });
});
