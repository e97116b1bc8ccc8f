import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { countDifferingBits } from '../../../src/store/index/codes.js';

const bytes = (length: number) => fc.uint8Array({ minLength: length, maxLength: length });
/** A query's code of some 32-bit words, and a block of up to 300 codes that can start at any byte. */
const cases = fc
  .record({ words: fc.integer({ min: 1, max: 12 }), count: fc.integer({ min: 1, max: 300 }) })
  .chain(({ words, count }) =>
    fc.record({
      query: bytes(words * 4),
      block: bytes(words * 4 * count + 3),
      shift: fc.integer({ min: 0, max: 3 }),
      count: fc.constant(count),
    }),
  );

function counted(query: Uint8Array, codes: Uint8Array, count: number): number[] {
  const distances = new Uint16Array(count);
  countDifferingBits(query, codes, distances);
  return [...distances];
}

function bitByBit(query: Uint8Array, codes: Uint8Array, count: number): number[] {
  return Array.from({ length: count }, (_, code) =>
    query.reduce((sum, byte, at) => {
      const differing = byte ^ (codes[code * query.length + at] ?? 0);
      return sum + differing.toString(2).replaceAll('0', '').length;
    }, 0),
  );
}

describe('differing signs', () => {
  it('are counted like bit by bit, in blocks of any size', () => {
    fc.assert(
      fc.property(cases, ({ query, block, shift, count }) => {
        const codes = block.subarray(shift, shift + query.length * count);
        expect(counted(query, codes, count)).toEqual(bitByBit(query, codes, count));
      }),
      { numRuns: 100 },
    );
  });

  it('are all bits of opposite codes', () => {
    const query = new Uint8Array(512).fill(255);
    expect(counted(query, new Uint8Array(512 * 256), 256)).toEqual(Array(256).fill(4096));
  });
});
