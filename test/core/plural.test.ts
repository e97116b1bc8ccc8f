import { expect, it } from 'vitest';
import { plural } from '../../src/core/plural.js';

it('only 1 is singular', () => {
  expect([0, 1, 2].map((count) => plural(count, 'drawer'))).toEqual(['0 drawers', '1 drawer', '2 drawers']);
  expect(plural(1, 'entry', 'entries')).toBe('1 entry');
  expect(plural(0, 'entry', 'entries')).toBe('0 entries');
});
