import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { balancedWindows, packBatches } from '../../src/embedding/windows.js';

describe('balancedWindows', () => {
  it('cuts 228 tokens into 114 and 114 with a limit of 128', () => {
    const ids = Array.from({ length: 228 }, (_, index) => index);
    expect(balancedWindows(3, ids, 128).map((window) => [window.text, window.ids.length])).toEqual([
      [3, 114],
      [3, 114],
    ]);
  });

  it('gives a text without tokens one empty window', () => {
    expect(balancedWindows(0, [], 128)).toEqual([{ text: 0, ids: [] }]);
  });

  it('contains every token in order, in few windows of similar size', () => {
    fc.assert(
      fc.property(
        fc.array(fc.nat(9000), { maxLength: 700 }),
        fc.integer({ min: 1, max: 130 }),
        (ids, room) => {
          const windows = balancedWindows(0, ids, room);
          const lengths = windows.map((window) => window.ids.length);
          expect(windows.flatMap((window) => window.ids)).toEqual(ids);
          expect(windows.length).toBe(Math.max(1, Math.ceil(ids.length / room)));
          expect(Math.max(...lengths)).toBeLessThanOrEqual(room);
          expect(Math.max(...lengths) - Math.min(...lengths)).toBeLessThanOrEqual(1);
        },
      ),
    );
  });
});

describe('packBatches', () => {
  it('uses every window once, longest first, within the budget of padded tokens', () => {
    fc.assert(
      fc.property(
        fc.array(fc.nat(128), { maxLength: 200 }),
        fc.integer({ min: 1, max: 2048 }),
        (lengths, budget) => {
          const batches = packBatches(lengths, budget);
          expect(batches.flat().toSorted((a, b) => a - b)).toEqual([...lengths.keys()]);
          const packed = batches.flat().map((index) => Math.max(1, lengths[index] ?? 0));
          expect(packed).toEqual(packed.toSorted((a, b) => b - a));
          for (const batch of batches) {
            const width = Math.max(1, ...batch.map((index) => lengths[index] ?? 0));
            expect(batch.length === 1 || batch.length * width <= budget).toBe(true);
          }
        },
      ),
    );
  });
});
