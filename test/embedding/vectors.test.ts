import { describe, expect, it } from 'vitest';
import { joinWindows, poolBatch } from '../../src/embedding/vectors.js';

describe('poolBatch', () => {
  // Two rows of two tokens of two numbers; the second row's second token is padding.
  const perToken = Float32Array.of(1, 2, 3, 6, 5, 7, 99, 99);

  it('takes the mean of all tokens except padding', () => {
    const vectors = poolBatch(perToken, [2, 1], 2, { pooling: 'mean', dimension: 2 });
    expect(vectors.map((vector) => [...vector])).toEqual([
      [2, 4],
      [5, 7],
    ]);
  });

  it('takes the first token', () => {
    const vectors = poolBatch(perToken, [2, 1], 2, { pooling: 'cls', dimension: 2 });
    expect(vectors.map((vector) => [...vector])).toEqual([
      [1, 2],
      [5, 7],
    ]);
  });

  it('takes the vector that the graph has pooled', () => {
    const vectors = poolBatch(Float32Array.of(1, 2, 3, 4), [2, 1], 2, { pooling: 'in-graph', dimension: 2 });
    expect(vectors.map((vector) => [...vector])).toEqual([
      [1, 2],
      [3, 4],
    ]);
  });

  it('refuses an output of another size', () => {
    expect(() =>
      poolBatch(Float32Array.of(1, 2, 3), [2, 1], 2, { pooling: 'in-graph', dimension: 2 }),
    ).toThrow(/3 numbers/);
  });
});

describe('joinWindows', () => {
  it('weighs windows by their tokens and scales to length 1', () => {
    const joined = joinWindows([
      { vector: Float32Array.of(2, 0), tokens: 3 },
      { vector: Float32Array.of(0, 1), tokens: 4 },
    ]);
    expect(joined[0]).toBeCloseTo(0.6, 6);
    expect(joined[1]).toBeCloseTo(0.8, 6);
  });

  it.each([Number.NaN, Infinity, 0])('refuses %s', (value) => {
    expect(() => joinWindows([{ vector: Float32Array.of(value, 0), tokens: 1 }])).toThrow(/not a number/);
  });
});
