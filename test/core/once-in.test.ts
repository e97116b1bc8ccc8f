import { describe, expect, it } from 'vitest';
import { onceIn } from '../../src/core/once-in.js';

describe('onceIn', () => {
  it('makes it once in the time, and again after it', async () => {
    let [now, made] = [0, 0];
    const get = onceIn(
      10,
      async () => {
        made += 1;
        return made;
      },
      () => now,
    );
    expect(await Promise.all([get(), get()])).toEqual([1, 1]);
    now = 9;
    expect(await get()).toBe(1);
    now = 10;
    expect(await get()).toBe(2);
  });

  it('makes it again after a failure', async () => {
    let made = 0;
    const get = onceIn(10, async () => {
      made += 1;
      if (made === 1) throw new Error('not now');
      return made;
    });
    await expect(get()).rejects.toThrow('not now');
    expect(await get()).toBe(2);
  });
});
