// Measures the input of every projection, its range and the mean of every column, over the texts of calibration.txt (one
// per line) in the float graph. Writes ranges.json, from which build.mjs makes the int8 model.
//
//   node models/use-lite/calibrate.mjs <folder of the unpacked package>
//
// Ranges are rounded up to steps of 0.05 and means to 0.01, since processors round differently.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Tokenizer } from '@huggingface/tokenizers';
import { InferenceSession, Tensor } from 'onnxruntime-node';
import { useLiteGraph } from './graph.mjs';
import { encodeModel, FLOAT, value } from './onnx.mjs';
import { readWeights } from './weights.mjs';

/**
 * Projections that stay float: the first two see the embedding of single tokens, and cause half of the error of all
 * integer products for a twentieth of the work; the last one runs once per text.
 */
const STAY_FLOAT = ['l0_adj', 'l0_qkv', 'tanh'];
const MAX_TOKENS = 128;
const STEPS_PER_UNIT = 20;
/** Share of the texts that may exceed a range: a range for the strangest of them would be too coarse for the others. */
const RARE = 0.01;

const [packageFolder] = process.argv.slice(2);
if (packageFolder === undefined) throw new Error('usage: calibrate.mjs <folder of the unpacked package>');
const own = (name) => fileURLToPath(new URL(name, import.meta.url));

const graph = useLiteGraph(readWeights(join(packageFolder, 'dist')));
const inputs = new Map();
for (const { opType, input } of graph.node) {
  const name = input[1]?.replace(/_w$/, '');
  if (opType === 'MatMul' && name !== input[1] && !STAY_FLOAT.includes(name)) inputs.set(name, input[0]);
}
const watched = [...new Set(inputs.values())];
const output = watched.map((name) => value(name, FLOAT, ['batch', 'tokens', 'width']));
const session = await InferenceSession.create(
  encodeModel({ graph: { ...graph, output }, producerName: 'use-lite-rebuild', irVersion: 8, opset: 17 }),
  { logSeverityLevel: 4 },
);
const tokenizer = new Tokenizer(JSON.parse(readFileSync(own('tokenizer.json'), 'utf8')), {});
const texts = readFileSync(own('calibration.txt'), 'utf8').trimEnd().split('\n');
const ranges = new Map([...inputs.keys()].map((name) => [name, { lows: [], highs: [], sums: [] }]));
let tokens = 0;
for (const text of texts) {
  const ids = tokenizer.encode(text, { add_special_tokens: false }).ids.slice(0, MAX_TOKENS);
  const tensor = (numbers) => new Tensor('int64', BigInt64Array.from(numbers), [1, ids.length]);
  const feeds = { input_ids: tensor(ids.map(BigInt)), attention_mask: tensor(ids.map(() => 1n)) };
  const found = await session.run(feeds);
  tokens += ids.length;
  for (const [name, input] of inputs) {
    const { data, dims } = found[input];
    const range = ranges.get(name);
    let [low, high] = [0, 0];
    for (const [at, number] of data.entries()) {
      low = Math.min(low, number);
      high = Math.max(high, number);
      const channel = at % dims.at(-1);
      range.sums[channel] = (range.sums[channel] ?? 0) + number;
    }
    range.lows.push(low);
    range.highs.push(high);
  }
}
/** The size that only RARE texts exceed, rounded up. */
const most = (sizes) => {
  const size = sizes.toSorted((a, b) => b - a)[Math.floor(RARE * sizes.length)];
  return Math.ceil(size * STEPS_PER_UNIT) / STEPS_PER_UNIT;
};
const lines = [...ranges].map(([name, { lows, highs, sums }]) => {
  const [low, high] = [-most(lows.map((size) => -size)), most(highs)];
  console.log(`${name}  ${low} to ${high}`);
  const means = sums.map((sum) => Number((sum / tokens).toFixed(2)));
  return `  ${JSON.stringify(name)}: ${JSON.stringify({ low, high, means })}`;
});
writeFileSync(own('ranges.json'), `{\n${lines.join(',\n')}\n}\n`);
