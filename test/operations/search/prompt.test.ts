import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { NOTICE } from '../../../src/core/outside.js';
import type { Found, Hit } from '../../../src/operations/search/found.js';
import { isWeak } from '../../../src/operations/search/notes.js';
import { LEAST_SCORE, promptText, questionIn } from '../../../src/operations/search/prompt.js';
import { parseQuery } from '../../../src/search/query.js';
import { hitOf } from '../../support/hits.js';

const withScore = (relevance: number, text = 'Port 8443.', changes: Partial<Hit> = {}): Hit => {
  const hit = hitOf({ text });
  return { ...hit, scores: { ...hit.scores, relevance }, ...changes };
};

const toldOf = (found: Pick<Found, 'hits' | 'trouble'>) => promptText({ ...found, weak: isWeak(found.hits) });

describe('the question in a prompt', () => {
  it('has no syntax of a search', () => {
    expect(questionIn('Why does -O2 break "the cart"?')).toBe('Why does -O2 break  the cart ?');
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom('a', 'b', ' ', '-', '"', '“', '\n', '/') }), (prompt) => {
        const { phrases, excluded } = parseQuery(questionIn(prompt) ?? '');
        expect([phrases, excluded]).toEqual([[], []]);
      }),
    );
  });

  it('is none in a command, and where there is no text', () => {
    for (const prompt of [undefined, '', ' \n', '"" ', '/clear', ' /my:deploy staging'])
      expect(questionIn(prompt)).toBeUndefined();
    expect(questionIn('/etc/hosts is empty, why?')).toBe('/etc/hosts is empty, why?');
  });
});

describe('what is told with a prompt', () => {
  it('are at most three passages from the threshold on', () => {
    const hits = [0.9, 0.8, LEAST_SCORE, LEAST_SCORE].map((score, at) => withScore(score, `Port ${at}.`));
    const text = toldOf({ hits, trouble: undefined });
    expect(text.startsWith(`memory (${NOTICE})\n`)).toBe(true);
    expect(text.match(/Port \d/g)).toEqual(['Port 0', 'Port 1', 'Port 2']);
    const below = withScore(LEAST_SCORE - 0.001, 'Port 9.');
    expect(toldOf({ hits: [...hits.slice(0, 1), below], trouble: undefined })).not.toContain('Port 9');
  });

  it('is nothing below it, without a comparison of meanings, and for a weak match', () => {
    const told = (hit: Hit, trouble?: { text: string }) => toldOf({ hits: [hit], trouble });
    expect(told(withScore(0.9))).not.toBe('');
    expect(toldOf({ hits: [], trouble: undefined })).toBe('');
    expect(told(withScore(LEAST_SCORE - 0.001))).toBe('');
    expect(told(withScore(0.9), { text: 'the model is not installed' })).toBe('');
    expect(told(withScore(0.9, 'Port 1.', { semantic: undefined }))).toBe('');
    expect(told(withScore(0.9, 'Port 1.', { strength: 0.2 }))).toBe('');
  });

  it('does not count the preference for a project', () => {
    expect(toldOf({ hits: [withScore(0.5, 'Port 1.', { score: 0.9 })], trouble: undefined })).toBe('');
  });

  it('cannot control a terminal', () => {
    const text = toldOf({ hits: [withScore(0.9, 'Port\u001b[31m 1.\u202e')], trouble: undefined });
    expect(text).toContain('Port\u{fffd}[31m 1.\u{fffd}');
  });
});
