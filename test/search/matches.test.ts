import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { matcherOf } from '../../src/search/matches.js';

const found = (question: string, text: string) =>
  matcherOf(question)(text).map(({ start, end }) => text.slice(start, end));

describe('highlighted matches', () => {
  it('are the words of the question in all forms, without stop words', () => {
    expect(found('why are the migrations failing', 'The migration failed; migrating why? Fail.')).toEqual([
      'migration',
      'failed',
      'migrating',
      'Fail',
    ]);
    expect(found('running tests', 'It runs. A test ran, was run, and tested.')).toEqual([
      'runs',
      'test',
      'run',
      'tested',
    ]);
    expect(found('cafe', 'Le Café et le cafetière')).toEqual(['Café']);
  });

  it('are words whatever their marks, parts of names, and versions', () => {
    expect(found('елка retry 3.11.2 grosse', 'Ёлка HttpRetryPolicy v3.11.2, v3.11.3, 11, Große')).toEqual([
      ...['Ёлка', 'Retry', 'v3.11.2', 'Große'],
    ]);
    expect(found('HttpRetryPolicy', 'the retry policy, HttpRetryPolicy')).toEqual([
      'retry',
      'policy',
      'HttpRetryPolicy',
    ]);
    expect(found('قاعدة', 'قَاعِدَةُ البَيَانَاتِ')).toEqual(['قَاعِدَةُ']);
    expect(found('"final office" "все"', 'the ﬁnal\noﬃce; finality; ВСЁ')).toEqual(['ﬁnal\noﬃce', 'ВСЁ']);
  });

  it('are whole phrases, across line breaks and in any case', () => {
    expect(found('"session cookie" redirect', 'The Session\n cookie; a cookie; the redirects')).toEqual([
      'Session\n cookie',
      'redirects',
    ]);
  });

  it('are the words of a phrase that was searched by its words', () => {
    const text = 'a cookie of the session; the session cookie';
    const texts = matcherOf('"session cookie"', ['session cookie'])(text).map(({ start, end }) =>
      text.slice(start, end),
    );
    expect(texts).toEqual(['cookie', 'session', 'session', 'cookie']);
  });

  it('are parts of words in scripts without spaces', () => {
    expect(found('東京都', '私は東京都に住む')).toEqual(['東京都']);
    expect(found('組', 'vue组件, 組み立て')).toEqual(['組']);
  });

  it('never include excluded words', () => {
    expect(found('proxy -"port"', 'proxy port')).toEqual(['proxy']);
  });

  it('are in order and do not overlap, for any question', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), fc.string(), (question, text) => {
        let at = 0;
        for (const { start, end } of matcherOf(question)(text + question)) {
          expect(start).toBeGreaterThanOrEqual(at);
          expect(end).toBeGreaterThan(start);
          at = end;
        }
      }),
    );
  });
});

describe('a quoted phrase', () => {
  it('of any characters is searched letter by letter', () => {
    const phrase = fc.string({ unit: 'binary-ascii', minLength: 1, maxLength: 12 });
    fc.assert(
      fc.property(phrase, (text) => {
        fc.pre(/[^\s"\0]/.test(text) && !text.includes('"') && !text.includes('\0'));
        const found = matcherOf(`"${text}"`)(`before ${text.trim()} after`);
        expect(found.some(({ start, end }) => start <= 7 && end >= 7 + text.trim().length)).toBe(true);
      }),
      { numRuns: 500 },
    );
  });
});

describe('words', () => {
  it.each([
    ['memory', 'memories', true],
    ['stop', 'stopped', true],
    ['configure', 'configuration', true],
    ['embed', 'embedding', true],
    ['port', 'portrait', false],
    ['cat', 'cation', false],
    ['note', 'notable', false],
    // The index finds each of them by the other.
    ['ab', 'abs', true],
  ])('%s and %s: %s', (a, b, same) => {
    expect(found(a, b)).toEqual(same ? [b] : []);
    expect(found(b, a)).toEqual(same ? [a] : []);
  });
});
