import { expect, it } from 'vitest';
import { collectionRow, storedFilter } from '../../../src/knowledge/collections/exchange.js';

const ROW = {
  ...{ name: 'Money', question: null, filter: { wing: 'wing_shop' }, most: 100, min_score: 0 },
  ...{ made_at: '2026-06-01T12:00:00.000Z', added: [], excluded: [] },
};

it('an import takes no collection that a user could not make, or name to drop it', () => {
  expect(collectionRow.safeParse(ROW).success).toBe(true);
  const wrong = [{ name: ' Money' }, { name: 'a\nb' }, { most: 1_001 }, { min_score: 2 }];
  for (const change of wrong) expect(collectionRow.safeParse({ ...ROW, ...change }).success).toBe(false);
});

it('a damaged filter is named as damage', () => {
  expect(storedFilter('{"wing":"a","later":1}')).toEqual({ wing: 'a' });
  for (const damaged of ['{', '7', '{"wing":1}'])
    expect(() => storedFilter(damaged)).toThrow(expect.objectContaining({ code: 'palace-damaged' }));
});
