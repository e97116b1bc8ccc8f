import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  plain,
  type SignDistances,
  signDistances,
  vectorised,
} from '../../../src/store/index/sign-distances.js';

const bytes = (length: number) => fc.uint8Array({ minLength: length, maxLength: length });
/** A width in bytes, a query's code, and a block of up to 300 codes that may lie at any byte. */
const cases = (step: number) =>
  fc
    .record({ pieces: fc.integer({ min: 1, max: 12 }), count: fc.integer({ min: 1, max: 300 }) })
    .chain(({ pieces, count }) =>
      fc.record({
        query: bytes(pieces * step),
        block: bytes(pieces * step * count + 3),
        shift: fc.integer({ min: 0, max: 3 }),
        count: fc.constant(count),
      }),
    );

function counted(signs: SignDistances | undefined, codes: Uint8Array, count: number): number[] {
  const distances = new Uint16Array(count);
  signs?.measure(codes, distances);
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
  it('are counted by JavaScript as bit by bit', () => {
    fc.assert(
      fc.property(cases(4), ({ query, block, shift, count }) => {
        const codes = block.subarray(shift, shift + query.length * count);
        expect(counted(plain(query), codes, count)).toEqual(bitByBit(query, codes, count));
      }),
      { numRuns: 50 },
    );
  });

  it('are counted by WebAssembly as by JavaScript, in blocks of any size', () => {
    fc.assert(
      fc.property(cases(16), ({ query, block, shift, count }) => {
        const codes = block.subarray(shift, shift + query.length * count);
        expect(counted(vectorised(query), codes, count)).toEqual(counted(plain(query), codes, count));
      }),
      { numRuns: 100 },
    );
  });

  it('are all of them where nothing is alike', () => {
    const query = new Uint8Array(512).fill(255);
    expect(counted(vectorised(query), new Uint8Array(512 * 256), 256)).toEqual(Array(256).fill(4096));
  });

  it('are counted by JavaScript where a width is no multiple of sixteen bytes', () => {
    const query = new Uint8Array(20);
    expect(vectorised(query)).toBeUndefined();
    expect(counted(signDistances(query), new Uint8Array(40).fill(1), 2)).toEqual([20, 20]);
  });
});
