import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Budget, beginningOf } from '../../src/operations/budget.js';
import { estimateTokens } from '../../src/reading/index.js';

describe('the beginning of a text', () => {
  it('fits, is whole if possible, and never ends inside a character', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), fc.integer({ min: 0, max: 30 }), (text, tokens) => {
        const beginning = beginningOf(text, tokens);
        expect(text.startsWith(beginning)).toBe(true);
        expect(estimateTokens(beginning)).toBeLessThanOrEqual(tokens);
        expect(Buffer.from(beginning).toString()).toBe(beginning);
        if (estimateTokens(text) <= tokens) expect(beginning).toBe(text);
      }),
    );
  });

  it('ends with a line if most of it remains', () => {
    expect(beginningOf('one two three\nfour five six\nseven', 8)).toBe('one two three\nfour five six\n');
    expect(beginningOf('a\nvery long line that goes on and on', 5)).toBe('a\nvery long line tha');
  });
});

describe('a budget', () => {
  it('is divided; an unused rest is given to the others', () => {
    const budget = new Budget(30);
    expect(budget.shorten('short', 3)).toEqual({ text: 'short' });
    const second = budget.shorten('x'.repeat(200), 2);
    expect(second).toMatchObject({ cut: true });
    expect(estimateTokens(second.text)).toBe(14);
    expect(estimateTokens(budget.shorten('y'.repeat(200), 1).text)).toBe(14);
    expect(budget.shorten('z', 1)).toEqual({ text: '', cut: true });
    expect(budget.shorten('zzzz', 1, 1)).toEqual({ text: 'zzzz' });
  });

  it('takes the first items that fit, and one in any case', () => {
    const items = ['x'.repeat(40), 'y'.repeat(40), 'z'.repeat(400)];
    const budget = new Budget(30);
    expect(budget.take(items)).toEqual(items.slice(0, 2));
    expect(budget.left).toBeLessThan(30);
    expect(new Budget(1).take(items)).toEqual(items.slice(0, 1));
  });
});
