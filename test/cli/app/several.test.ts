import { describe, expect, it } from 'vitest';
import { worstExitCode } from '../../../src/cli/app/several.js';

describe('the exit code of several runs', () => {
  it('is that of the worst: failed, wrong usage, locked, incomplete, done', () => {
    expect(worstExitCode([])).toBe(0);
    expect(worstExitCode([0, 3, 0])).toBe(3);
    expect(worstExitCode([3, 11])).toBe(11);
    expect(worstExitCode([11, 2, 3])).toBe(2);
    expect(worstExitCode([2, 1, 11])).toBe(1);
  });
});
