import { describe, expect, it } from 'vitest';
import { Workload } from '../../src/miner/progress.js';

interface Source {
  bytes: number;
  /** Characters that must be embedded. */
  chars: number;
}

/** What `bytesDone` says while sources are read and embedded, each a thousand characters a second; time includes all. */
function guesses(sources: readonly Source[]): { elapsed: number; left: number; truly: number }[] {
  const bytesTotal = sources.reduce((sum, { bytes }) => sum + bytes, 0);
  const seconds = sources.reduce((sum, { chars }) => sum + chars, 0) / 1000;
  const work = new Workload(bytesTotal);
  const found: { elapsed: number; left: number; truly: number }[] = [];
  let asked = 0;
  for (const { bytes, chars } of sources) {
    for (let part = 1; part <= 10; part += 1) {
      const now = asked + (chars * part) / 10;
      const done = work.bytesDone(bytes, now, now);
      const elapsed = now / 1000;
      if (done > 0)
        found.push({ elapsed, left: elapsed * (bytesTotal / done - 1), truly: seconds - elapsed });
    }
    asked += chars;
    work.finish(bytes, asked);
  }
  return found.filter(({ elapsed }) => elapsed > seconds / 10 && elapsed < seconds * 0.9);
}

describe('the estimated rest of a run', () => {
  it.each<[string, (index: number) => Source]>([
    ['sources of one size', () => ({ bytes: 10_000, chars: 10_000 })],
    [
      'sizes that vary',
      (index) => ({ bytes: 1_000 * (1 + ((index * 7) % 31)), chars: 1_000 * (1 + ((index * 7) % 31)) }),
    ],
    [
      'one that is much larger than the others',
      (index) => (index === 20 ? { bytes: 2e6, chars: 2e6 } : { bytes: 9_000, chars: 9_000 }),
    ],
    [
      'long tool output, of which little is embedded',
      (index) => ({ bytes: 50_000 * (1 + (index % 5)), chars: 4_000 * (1 + (index % 5)) }),
    ],
    [
      'text that has a vector already, in every other source',
      (index) => ({ bytes: 20_000, chars: index % 2 === 0 ? 20_000 : 0 }),
    ],
  ])('is right within a factor of two: %s', (_, make) => {
    const found = guesses(Array.from({ length: 100 }, (_, index) => make(index)));
    expect(found.length).toBeGreaterThan(5);
    for (const { left, truly } of found) {
      expect(left).toBeGreaterThan(truly / 2);
      expect(left).toBeLessThan(truly * 2);
    }
  });

  it('never exceeds the whole, and reaches it at the end', () => {
    const work = new Workload(30_000);
    expect(work.bytesDone(10_000, 0, 0)).toBe(0);
    work.finish(10_000, 9_000);
    expect(work.bytesDone(20_000, 9_000, 9_000)).toBeLessThan(30_000);
    work.finish(20_000, 30_000);
    expect(work.bytesDone(0, 30_000, 30_000)).toBe(30_000);
  });
});
