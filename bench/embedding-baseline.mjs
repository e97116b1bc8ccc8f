// The fastest plain way to embed texts with the same model, libraries and threads: tokenise everything, cut
// the same windows, sort all of them by length into ideal batches, and run ONNX Runtime in a loop in the
// main thread. Everything beyond this is the miner's own cost.
//
//   node bench/embedding-baseline.mjs [texts]        compares the embedder with it: three alternating runs
//   node bench/embedding-baseline.mjs --texts FILE   one run over the texts of a JSON array, as JSON
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Tokenizer } from '@huggingface/tokenizers';
import { InferenceSession, Tensor } from 'onnxruntime-node';
import { inferenceThreads, startEmbedder } from '../dist/embedding/embedder.js';
import { modelFolder } from '../dist/embedding/files.js';
import { DEFAULT_MODEL_ID, modelById } from '../dist/embedding/registry.js';
import { shownText } from '../dist/embedding/text.js';
import { balancedWindows, packBatches } from '../dist/embedding/windows.js';

const ROOT = dirname(dirname(fileURLToPath(import.meta.url)));
const ROUNDS = 3;
/** Texts per call of the embedder, as in the miner. */
const TEXTS_PER_CALL = 256;

/**
 * Loads the model for the bare loop.
 *
 * @param {{ threads?: number, batchTokens?: number, modelId?: string }} [options] batchTokens: tokens per
 *   batch, padding included
 * @returns {Promise<(texts: string[]) => Promise<{ seconds: number, texts: number, windows: number,
 *   textsPerSecond: number, windowsPerSecond: number }>>} one run over the texts; loading is not counted
 */
export async function loadBareLoop(options = {}) {
  const { threads = inferenceThreads(), batchTokens = 1024, modelId = DEFAULT_MODEL_ID } = options;
  const model = modelById(modelId);
  const folder = modelFolder(model);
  const tokenizer = new Tokenizer(JSON.parse(readFileSync(join(folder, 'tokenizer.json'), 'utf8')), {});
  const session = await InferenceSession.create(join(folder, model.onnxFile), {
    intraOpNumThreads: threads,
    interOpNumThreads: 1,
    graphOptimizationLevel: 'all',
    // As in the product: threads that spin while they wait make the loop slower on a busy machine.
    extra: { session: { intra_op: { allow_spinning: '0' } } },
  });
  return async (texts) => {
    const start = performance.now();
    const windows = texts.flatMap((text, index) => {
      const { ids } = tokenizer.encode(model.prefixes.passage + shownText(text), {
        add_special_tokens: false,
      });
      return balancedWindows(index, ids, model.maxTokens);
    });
    const lengths = windows.map(({ ids }) => ids.length);
    for (const batch of packBatches(lengths, batchTokens)) {
      const width = Math.max(1, ...batch.map((index) => lengths[index]));
      const ids = new BigInt64Array(batch.length * width);
      const mask = new BigInt64Array(batch.length * width);
      for (const [row, index] of batch.entries()) {
        ids.set(windows[index].ids.map(BigInt), row * width);
        mask.fill(1n, row * width, row * width + lengths[index]);
      }
      const tensor = (data) => new Tensor('int64', data, [batch.length, width]);
      await session.run({ input_ids: tensor(ids), attention_mask: tensor(mask) });
    }
    const seconds = (performance.now() - start) / 1000;
    return {
      seconds,
      texts: texts.length,
      windows: windows.length,
      textsPerSecond: texts.length / seconds,
      windowsPerSecond: windows.length / seconds,
    };
  };
}

/** Texts of about 800 characters, cut from the README files of the installed packages: prose and code. */
export function sampleTexts(count) {
  const packages = join(ROOT, 'node_modules');
  const readmes = readdirSync(packages, { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('README.md'))
    .sort();
  const texts = readmes.flatMap(
    (path) => readFileSync(join(packages, path), 'utf8').match(/[\s\S]{500,900}(?=\s)/gu) ?? [],
  );
  return Array.from({ length: count }, (_, index) => texts[(index * 7919) % texts.length]);
}

/** @returns {Promise<number>} texts per second of the embedder over the texts; starting it is not counted */
async function runEmbedder(embedder, texts) {
  const start = performance.now();
  const calls = [];
  for (let from = 0; from < texts.length; from += TEXTS_PER_CALL) {
    calls.push(embedder.embed(texts.slice(from, from + TEXTS_PER_CALL)));
  }
  await Promise.all(calls);
  return texts.length / ((performance.now() - start) / 1000);
}

const median = (numbers) => numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length / 2)];

/** The bare loop in its own process, for a bench of whole commands. */
async function runOnce(file) {
  const texts = JSON.parse(readFileSync(file, 'utf8'));
  const start = performance.now();
  const bareLoop = await loadBareLoop();
  const loadSeconds = (performance.now() - start) / 1000;
  console.log(JSON.stringify({ loadSeconds, ...(await bareLoop(texts)) }));
}

async function main() {
  if (process.argv[2] === '--texts') return runOnce(process.argv[3]);
  const texts = sampleTexts(Number(process.argv[2] ?? 2000));
  const bareLoop = await loadBareLoop();
  const bare = [];
  const ours = [];
  await bareLoop(texts.slice(0, 100));
  for (let round = 0; round < ROUNDS; round++) {
    bare.push(await bareLoop(texts));
    // A new embedder each time, without the word cache of an earlier round.
    const embedder = await startEmbedder();
    ours.push(await runEmbedder(embedder, texts));
    await embedder.close();
  }
  const bareMedian = median(bare.map((run) => run.textsPerSecond));
  console.log(
    `texts                ${texts.length} (${bare[0].windows} windows), ${inferenceThreads()} threads`,
  );
  console.log(`bare loop            ${bare.map((run) => run.textsPerSecond.toFixed(0)).join(' ')} texts/s`);
  console.log(`                     ${median(bare.map((run) => run.windowsPerSecond)).toFixed(0)} windows/s`);
  console.log(`embedder             ${ours.map((speed) => speed.toFixed(0)).join(' ')} texts/s`);
  console.log(`embedder / bare loop ${((100 * median(ours)) / bareMedian).toFixed(1)} % (medians)`);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await main();
