import fc from 'fast-check';
import { describe, expect } from 'vitest';
import { successorOf } from '../../../src/store/tables/drawers.js';
import { it } from '../../support/it.js';
import { fileTexts } from '../../support/palace.js';
import { problemsIn } from '../../support/soundness.js';

describe('the successor of a drawer', () => {
  it.each([
    ['b', 'abc', 'aBc', 'B', 'reworded'],
    ['b', 'abc', 'xaBc', 'B', 'reworded, with something new before'],
    ['a', 'abc', 'Abc', 'A', 'the first'],
    ['c', 'abc', 'abC', 'C', 'the last, which grew'],
    ['c', 'abc', 'abCd', 'C', 'the last, which grew into two'],
    ['b', 'abcd', 'aBCd', 'B', 'two in a row'],
    ['c', 'abcd', 'aBCd', 'C', 'two in a row'],
    ['c', 'abcd', 'aCd', 'C', 'the one before it was taken out'],
    ['b', 'abc', 'ac', undefined, 'taken out'],
    ['b', 'abc', '', undefined, 'taken out with all others'],
    ['b', 'abc', 'acX', undefined, 'taken out, with something new elsewhere'],
  ])('of %s in %s after %s is %s (%s)', (gone, before, after, successor, _why) => {
    expect(successorOf(gone, [...before], [...after])).toBe(successor);
  });

  it('is always new', () => {
    const ids = fc.uniqueArray(fc.constantFrom(...'abcdefghij'), { minLength: 1 });
    fc.assert(
      fc.property(ids, ids, (before, after) => {
        for (const gone of before.filter((id) => !after.includes(id))) {
          const successor = successorOf(gone, before, after);
          if (successor === undefined) continue;
          expect(after).toContain(successor);
          expect(before).not.toContain(successor);
        }
      }),
    );
  });

  it('gets the settings of the user', ({ palace }) => {
    fileTexts(palace, 'doc:p/a.md', ['one', 'two', 'three']);
    palace.priorities.set('drawers', 2, { priority: 'high', pinned: true });
    fileTexts(palace, 'doc:p/a.md', ['zero', 'one', 'two and a half', 'three']);
    const marked = () =>
      palace.wakeUp.importantDrawers({}, 9).map(({ text, priority, pinned }) => [text, priority, pinned]);
    expect(marked()).toEqual([['two and a half', 'high', 1]]);
    fileTexts(palace, 'doc:p/a.md', ['zero', 'one', 'three']);
    expect(marked()).toEqual([]);
    expect(problemsIn(palace)).toEqual([]);
  });
});
