import { describe, expect, it } from 'vitest';
import { diaryConfig } from '../../../../src/cli/commands/diary/config.js';
import { kgConfig } from '../../../../src/cli/commands/kg/config.js';

const NO_FLAGS = { color: true, redact: true, pager: true };

describe('mempalace kg', () => {
  const kg = (what: string, words: string[], flags = {}) => kgConfig(what, words, { ...NO_FLAGS, ...flags });

  it('makes of its words and flags what is to be done', () => {
    expect(kg('add', ['a', 'is', 'b'], { from: '2026-01-01', confidence: '0.5' })).toMatchObject({
      what: 'add',
      input: { subject: 'a', predicate: 'is', object: 'b', validFrom: '2026-01-01', confidence: 0.5 },
    });
    const fact = { subject: 'a', predicate: 'is' };
    expect(kg('supersede', ['a', 'is', 'c'])).toMatchObject({ former: undefined, input: { object: 'c' } });
    expect(kg('supersede', ['a', 'is', 'b', 'c'], { at: '2026-01-01' })).toMatchObject({
      former: 'b',
      input: { ...fact, object: 'c', validFrom: '2026-01-01' },
    });
    expect(kg('invalidate', ['a', 'is', 'b'])).toMatchObject({ words: { ...fact, object: 'b' } });
    expect(kg('query', ['a'])).toMatchObject({ entity: 'a', direction: 'both', limit: 50 });
    expect(kg('timeline', [], { limit: '3', offset: '6' })).toMatchObject({
      entity: undefined,
      limit: 3,
      offset: 6,
    });
  });

  it('takes a day in words', () => {
    const day = (back: number) => {
      const date = new Date(Date.now() - back * 86_400_000);
      const two = (part: number) => String(part).padStart(2, '0');
      return `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`;
    };
    const fact = ['a', 'is', 'b'];
    expect(kg('add', fact, { from: 'yesterday', until: 'tomorrow' })).toMatchObject({
      input: { validFrom: day(1), validTo: day(-1) },
    });
    expect(kg('query', ['a'], { asOf: '3 days ago' })).toMatchObject({ asOf: day(3) });
    expect(kg('invalidate', fact, { at: '2w' })).toMatchObject({ at: day(14) });
    // What is no day in words stays as it is, for the graph to judge.
    for (const from of ['2026-03-01', '2026-03-01T12:00:00Z', '2026-13-01', 'whenever'])
      expect(kg('add', fact, { from })).toMatchObject({ input: { validFrom: from } });
  });

  it.each<[string, string, string[], object]>([
    ['kg takes one of', 'ad', [], {}],
    ['kg add takes 3 words, not 2', 'add', ['a', 'b'], {}],
    ['kg supersede takes 3 or 4 words', 'supersede', ['a'], {}],
    ['kg stats takes 0 words', 'stats', ['a'], {}],
    ['--as-of is not for kg add', 'add', ['a', 'b', 'c'], { asOf: '2026-01-01' }],
    ['--from is not for kg query', 'query', ['a'], { from: '2026-01-01' }],
    ['--confidence takes a number', 'add', ['a', 'b', 'c'], { confidence: '2' }],
    ['--direction takes one of', 'query', ['a'], { direction: 'up' }],
    ['--limit takes a whole number', 'query', ['a'], { limit: '0' }],
  ])('refuses: %s', (message, what, words, flags) => {
    expect(() => kg(what, words, flags)).toThrow(message);
  });
});

describe('mempalace diary', () => {
  const diary = (what: string, words: string[], flags = {}) =>
    diaryConfig(what, words, { ...NO_FLAGS, ...flags });

  it('makes of its words and flags what is to be done', () => {
    expect(diary('read', [])).toMatchObject({ question: { agent: undefined, limit: 10, offset: 0 } });
    expect(diary('write', ['two', 'words'], { agent: 'a' })).toMatchObject({ text: 'two words' });
    for (const words of [[], ['-']]) expect(diary('write', words, { agent: 'a' }).what).toBe('write');
    expect(diary('write', ['-'], { agent: 'a' })).toMatchObject({ text: undefined });
  });

  it.each<[string, string, string[], object]>([
    ['diary takes one of', 'list', [], {}],
    ['diary write needs --agent', 'write', ['x'], {}],
    ['diary read takes no text', 'read', ['x'], {}],
    ['--last and --offset are for diary read', 'write', ['x'], { agent: 'a', last: '3' }],
    ['not a wing', 'read', [], { wing: '../x' }],
  ])('refuses: %s', (message, what, words, flags) => {
    expect(() => diary(what, words, flags)).toThrow(message);
  });
});
