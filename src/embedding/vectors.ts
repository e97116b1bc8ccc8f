import type { LocalModel } from './model.js';

/**
 * The vectors of a batch from the model's output: `[rows, dimension]` for in-graph pooling, else `[rows, width,
 * dimension]`. `lengths`: the tokens of each row; the rest up to `width` is padding.
 */
export function poolBatch(
  output: Float32Array,
  lengths: readonly number[],
  width: number,
  model: Pick<LocalModel, 'pooling' | 'dimension'>,
): Float32Array[] {
  const { dimension, pooling } = model;
  const expected = lengths.length * dimension * (pooling === 'in-graph' ? 1 : width);
  if (output.length !== expected) {
    throw new Error(
      `the model returned ${output.length} numbers for ${lengths.length} texts, not ${expected}`,
    );
  }
  return lengths.map((length, row) => {
    if (pooling === 'in-graph') return output.slice(row * dimension, (row + 1) * dimension);
    const first = row * width * dimension;
    if (pooling === 'cls') return output.slice(first, first + dimension);
    const vector = new Float32Array(dimension);
    const tokens = Math.max(1, length);
    for (let token = 0; token < tokens; token++) {
      const start = first + token * dimension;
      for (let i = 0; i < dimension; i++) vector[i] = (vector[i] ?? 0) + (output[start + i] ?? 0) / tokens;
    }
    return vector;
  });
}

/** The mean of a text's windows, weighted by tokens, scaled to length 1. @throws Error if there is none (NaN, zero) */
export function joinWindows(windows: readonly { vector: Float32Array; tokens: number }[]): Float32Array {
  const sum = new Float64Array(windows[0]?.vector.length ?? 0);
  for (const { vector, tokens } of windows) {
    const weight = Math.max(1, tokens) / lengthOf(vector);
    for (let i = 0; i < sum.length; i++) sum[i] = (sum[i] ?? 0) + (vector[i] ?? 0) * weight;
  }
  const length = lengthOf(sum);
  if (!(length > 0 && length < Infinity)) throw new Error('the model returned a vector that is not a number');
  return Float32Array.from(sum, (value) => value / length);
}

function lengthOf(vector: Float32Array | Float64Array): number {
  let squares = 0;
  for (let i = 0; i < vector.length; i++) squares += (vector[i] ?? 0) ** 2;
  return Math.sqrt(squares);
}
