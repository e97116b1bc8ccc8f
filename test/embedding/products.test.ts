import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import onnxProto from 'onnx-proto';
import { InferenceSession, Tensor } from 'onnxruntime-node';
import { describe, expect, it } from 'vitest';
import { localModel, modelFolder } from '../../src/embedding/index.js';

const { onnx } = onnxProto;
const MOST_OF_PAIR = 128;
const { FLOAT, INT8, UINT8 } = onnx.TensorProto.DataType;

/** Products of uint8 with int8 as the shipped model computes them, on this processor: `[1, rows]` × `[rows, columns]`. */
async function product(input: Uint8Array, weights: Int8Array): Promise<number[]> {
  const rows = input.length;
  const columns = weights.length / rows;
  const constant = (
    name: string,
    dataType: number,
    dims: number[],
    data: Uint8Array | Int8Array | Float32Array,
  ) =>
    onnx.TensorProto.create({
      name,
      dataType,
      dims,
      rawData: new Uint8Array(data.buffer, data.byteOffset, data.byteLength),
    });
  const value = (name: string, elemType: number, dims: number[]) => ({
    name,
    type: { tensorType: { elemType, shape: { dim: dims.map((dimValue) => ({ dimValue })) } } },
  });
  const bytes = onnx.ModelProto.encode({
    irVersion: 8,
    opsetImport: [
      { domain: '', version: 17 },
      { domain: 'com.microsoft', version: 1 },
    ],
    graph: {
      name: 'product',
      node: [
        {
          opType: 'MatMulIntegerToFloat',
          domain: 'com.microsoft',
          input: ['x', 'w', 'one', 'scales'],
          output: ['y'],
        },
      ],
      initializer: [
        constant('w', INT8, [rows, columns], weights),
        constant('one', FLOAT, [], Float32Array.of(1)),
        constant('scales', FLOAT, [columns], new Float32Array(columns).fill(1)),
      ],
      input: [value('x', UINT8, [1, rows])],
      output: [value('y', FLOAT, [1, columns])],
    },
  }).finish();
  const session = await InferenceSession.create(bytes, { logSeverityLevel: 4 });
  const { y } = await session.run({ x: new Tensor('uint8', input, [1, rows]) });
  await session.release();
  if (!(y?.data instanceof Float32Array)) throw new Error('not a product of floats');
  return [...y.data];
}

/** Two weights whose sums of equal sign are at most MOST_OF_PAIR. */
const pair = fc
  .tuple(fc.integer({ min: -127, max: 127 }), fc.integer({ min: -127, max: 127 }))
  .map(([one, other]) => {
    if (one * other <= 0 || Math.abs(one + other) <= MOST_OF_PAIR) return [one, other];
    return [one, Math.sign(other) * (MOST_OF_PAIR - Math.abs(one))];
  });

describe('integer products', () => {
  it.each([
    [64, 64],
    [127, 1],
    [-64, -64],
    [-1, -127],
    [127, -127],
  ])('are exact for the largest inputs: weights %i and %i', async (one, other) => {
    const rows = 64;
    const weights = Int8Array.from({ length: rows * 32 }, (_, index) =>
      Math.floor(index / 32) % 2 === 0 ? one : other,
    );
    const sums = await product(new Uint8Array(rows).fill(255), weights);
    expect(new Set(sums)).toEqual(new Set([(rows / 2) * 255 * (one + other)]));
  });

  it('are exact for any weights of the shipped kind', async () => {
    const rows = 32;
    const columns = 20;
    const matrix = fc.array(pair, { minLength: (rows / 2) * columns, maxLength: (rows / 2) * columns });
    const inputs = fc.uint8Array({ minLength: rows, maxLength: rows });
    await fc.assert(
      fc.asyncProperty(matrix, inputs, async (pairs, input) => {
        const weights = new Int8Array(rows * columns);
        for (const [index, both] of pairs.entries()) {
          const row = 2 * Math.floor(index / columns);
          for (const [next, weight] of both.entries())
            weights[(row + next) * columns + (index % columns)] = weight;
        }
        const expected = Array.from({ length: columns }, (_, column) =>
          input.reduce((sum, number, row) => sum + number * (weights[row * columns + column] ?? 0), 0),
        );
        expect(await product(input, weights)).toEqual(expected);
      }),
      { numRuns: 30 },
    );
  });

  it('of the shipped model have such weights only, and constant scales', () => {
    const model = localModel('use-lite-int8');
    const file = readFileSync(join(modelFolder(model), model.onnxFile));
    const { graph } = onnx.ModelProto.toObject(onnx.ModelProto.decode(file), { longs: Number });
    const constants = new Map<string, { dims: number[]; rawData: Uint8Array }>(
      graph.initializer.map((one: { name: string }) => [one.name, one]),
    );
    const products = graph.node.filter(({ opType }: { opType: string }) => opType === 'MatMulIntegerToFloat');
    expect(products).toHaveLength(7);
    for (const { input } of products) {
      const [, weightName = '', ...others] = input as string[];
      for (const name of others) expect(name === '' || constants.has(name)).toBe(true);
      const { dims = [], rawData } = constants.get(weightName) ?? {};
      const [rows = 0, columns = 0] = dims;
      const weights = new Int8Array(
        rawData?.buffer ?? new ArrayBuffer(0),
        rawData?.byteOffset,
        rows * columns,
      );
      let most = 0;
      for (let row = 0; row < rows; row += 2) {
        for (let column = 0; column < columns; column++) {
          const [one = 0, other = 0] = [
            weights[row * columns + column],
            weights[(row + 1) * columns + column],
          ];
          if (one * other > 0) most = Math.max(most, Math.abs(one + other));
        }
      }
      expect(most).toBeGreaterThan(100);
      expect(most).toBeLessThanOrEqual(MOST_OF_PAIR);
    }
  });
});
