import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { BAR } from '../../src/core/outside.js';
import { snippet } from '../../src/operations/search/index-entry.js';
import { matcherOf } from '../../src/search/matches.js';
import { type QuoteOptions, quote as quoteParts } from '../../src/terminal/quote.js';
import { displayWidth } from '../../src/terminal/width.js';
import { tagged, unpainted } from '../support/hits.js';

type Options = QuoteOptions & Parameters<typeof quoteParts>[1];
const quote = (text: string, { width, paint, ...options }: Options) =>
  quoteParts([{ speaker: undefined, text }], { width, paint }, options);

describe('a quotation', () => {
  it('has a bar before every line, for any text', () => {
    const hostile = fc.array(
      fc.constantFrom(
        'a',
        '\n',
        '\r',
        '\r\n',
        '\u2028',
        '\u2029',
        '\u0085',
        '\u000b',
        '\u001b[2J',
        '\t',
        '│ ',
        '```\n',
        '\u202e',
      ),
    );
    fc.assert(
      fc.property(
        hostile,
        fc.option(fc.integer({ min: 22, max: 40 }), { nil: undefined }),
        (parts, width) => {
          const { rows } = quote(parts.join(''), { width, paint: unpainted });
          for (const row of rows) {
            expect(row.startsWith(BAR)).toBe(true);
            expect(row).not.toMatch(/[\n\r\u2028\u2029\u0085\u000b\u001b\u202e]/);
            if (width !== undefined) expect(displayWidth(row)).toBeLessThanOrEqual(width);
          }
        },
      ),
    );
  });

  it('highlights matches across the end of a row', () => {
    const matcher = matcherOf('"blue green"');
    expect(quote('a rather red blue green', { width: 22, matcher, paint: tagged }).rows).toEqual([
      '│ a rather red <match>blue</match>',
      '│ <match>green</match>',
    ]);
  });

  it('shows the rows around the matches and counts the others', () => {
    const text = Array.from({ length: 40 }, (_, i) => (i === 30 ? 'the needle' : `line ${i}`)).join('\n');
    const { rows, hidden } = quote(text, {
      width: 40,
      rows: 5,
      matcher: matcherOf('needle'),
      paint: unpainted,
    });
    expect(rows).toEqual(['│ line 28', '│ line 29', '│ the needle', '│ line 31', '│ line 32']);
    expect(hidden).toBe(35);
    const plain = quote(text, { width: 40, rows: 3, matcher: matcherOf('absent'), paint: unpainted });
    expect(plain.rows).toEqual(['│ line 0', '│ line 1', '│ line 2']);
  });

  it('prefers the rows with the most words of the question', () => {
    const text = ['proxy', '-', '-', '-', '-', 'proxy', 'and its port', '-', '-', '-'].join('\n');
    const { rows } = quote(text, { width: 40, rows: 3, matcher: matcherOf('proxy port'), paint: unpainted });
    expect(rows.slice(1)).toEqual(['│ proxy', '│ and its port']);
  });
});

describe('a snippet', () => {
  it('is one line around the matches, of a given length', () => {
    const text = `${'before '.repeat(30)}\n\nthe needle\tlies here ${'after '.repeat(30)}`;
    const cut = snippet(text, matcherOf('needle'), 100);
    expect(cut).toMatch(/^…(?:before )+the needle lies here (?:after )+.*…$/);
    expect([...cut].length).toBeLessThanOrEqual(100);
    expect(snippet('short\n text', matcherOf('x'), 100)).toBe('short text');
    expect(snippet(text, matcherOf('absent'), 20)).toBe('before before befor…');
  });

  it('is never too long and never contains a line break', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 400 }), fc.string(), (text, question) => {
        const cut = snippet(text, matcherOf(question), 100);
        expect([...cut].length).toBeLessThanOrEqual(100);
        expect(cut).not.toMatch(/[\n\t\r]/);
      }),
    );
  });
});
