import { join } from 'node:path';
import onnxProto from 'onnx-proto';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { loadEmbedder, localModel, verifyModel } from '../../../src/embedding/index.js';
import { pullModel } from '../../../src/embedding/models/pull.js';
import { temporaryFolder } from '../../support/palace.js';
import { type HubServer, startHub } from './hub-server.js';
import { unigram } from './tiny-tokenizers.js';

const { onnx } = onnxProto;
const { FLOAT, INT64 } = onnx.TensorProto.DataType;
const model = localModel('bge-m3');
const tokenizer = unigram();
const { dimension } = model;

/** Numbers of the table, exact in float32. */
const table = Float32Array.from(
  { length: tokenizer.size * dimension },
  (_, i) => ((i * 7919) % 257) / 64 - 2,
);
const factor = Float32Array.from({ length: dimension }, (_, i) => 1 + (i % 5) / 4);

/**
 * A graph with the inputs, outputs and files of bge-m3: two inputs, one vector per token and one per text, and weights
 * in two other files. The state of a token is (its row of the table + the sum of all rows) × the factor.
 */
function graph(): Uint8Array {
  const external = (name: string, location: string, dims: number[]) => ({
    name,
    dims,
    dataType: FLOAT,
    dataLocation: 1,
    externalData: [{ key: 'location', value: location }],
  });
  const described = (name: string, elemType: number, dims: (string | number)[]) => ({
    name,
    type: {
      tensorType: {
        elemType,
        shape: { dim: dims.map((dim) => (typeof dim === 'string' ? { dimParam: dim } : { dimValue: dim })) },
      },
    },
  });
  const integers = (name: string, number: number) => ({
    name,
    dims: [1],
    dataType: INT64,
    rawData: new Uint8Array(BigInt64Array.of(BigInt(number)).buffer),
  });
  const { INT } = onnx.AttributeProto.AttributeType;
  const node = (opType: string, input: string[], output: string, ints: Record<string, number> = {}) => ({
    opType,
    input,
    output: [output],
    attribute: Object.entries(ints).map(([name, i]) => ({ name, i, type: INT })),
  });
  return onnx.ModelProto.encode({
    irVersion: 8,
    opsetImport: [{ domain: '', version: 14 }],
    graph: {
      name: 'tiny_bge_m3',
      node: [
        node('Gather', ['table', 'input_ids'], 'rows'),
        node('Cast', ['attention_mask'], 'mask', { to: FLOAT }),
        node('Unsqueeze', ['mask', 'two'], 'seen'),
        node('Mul', ['rows', 'seen'], 'kept'),
        node('ReduceSum', ['kept', 'one'], 'sum', { keepdims: 1 }),
        node('Add', ['rows', 'sum'], 'mixed'),
        node('Mul', ['mixed', 'factor'], 'token_embeddings'),
        node('Neg', ['sum'], 'sentence_embedding'),
      ],
      initializer: [
        external('table', 'model.onnx_data', [tokenizer.size, dimension]),
        external('factor', 'Constant_7_attr__value', [dimension]),
        integers('one', 1),
        integers('two', 2),
      ],
      input: ['input_ids', 'attention_mask'].map((name) => described(name, INT64, ['batch', 'tokens'])),
      output: [
        described('sentence_embedding', FLOAT, ['batch', 'single', dimension]),
        described('token_embeddings', FLOAT, ['batch', 'tokens', dimension]),
      ],
    },
  }).finish();
}

const bytes = (data: Float32Array): Uint8Array => new Uint8Array(data.buffer);
const text = (content: string): Uint8Array => new TextEncoder().encode(content);

let hub: HubServer;
beforeAll(async () => {
  const contents = {
    'onnx/model.onnx': graph(),
    'onnx/model.onnx_data': bytes(table),
    'onnx/Constant_7_attr__value': bytes(factor),
    'tokenizer.json': text(tokenizer.json),
    'tokenizer_config.json': text(tokenizer.config),
  };
  hub = await startHub([{ model, contents }]);
});
afterAll(() => hub.close());

it('bge-m3 is pulled with the files of its weights; a vector is the state of the first token, without prefixes', async () => {
  const env = { MEMPALACE_MODELS: join(temporaryFolder(), 'models'), HF_ENDPOINT: hub.url };
  const { folder, fetched } = await pullModel(model, { env });
  expect(fetched).toEqual(model.files.map(({ name }) => name));
  await expect(verifyModel(model, folder)).resolves.toHaveLength(5);
  const embedder = await loadEmbedder({ modelId: 'bge-m3', env });
  const words = 'quick drawers 8443';
  const longer = 'the palace the palace the palace the palace';
  for (const role of ['passage', 'query'] as const) {
    const [vector] = await embedder.embed([words, longer], role);
    const ids = [
      tokenizer.before,
      ...words.split(' ').flatMap((word) => tokenizer.word(word)),
      tokenizer.after,
    ];
    const row = (id: number, i: number): number => table[id * dimension + i] ?? 0;
    const state = Array.from(factor, (times, i) => {
      return (row(tokenizer.before, i) + ids.reduce((sum, id) => sum + row(id, i), 0)) * times;
    });
    const length = Math.hypot(...state);
    expect(vector).toHaveLength(1024);
    for (const [i, value] of state.entries()) expect(vector?.[i]).toBeCloseTo(value / length, 5);
  }
  await embedder.close();
});
