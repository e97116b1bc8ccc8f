import { expect, it } from 'vitest';
import { timerMs } from '../../src/core/timer.js';

it('a timer of months does not end at once', () => {
  expect(timerMs(1_000)).toBe(1_000);
  const timer = setTimeout(() => {}, timerMs(90 * 86_400_000));
  // Node makes a duration that is too long 1 ms.
  expect(timer).toHaveProperty('_idleTimeout', 2 ** 31 - 1);
  clearTimeout(timer);
});
