// Joins the compiled modules: Node takes about a millisecond for each file it imports, and a start imports a hundred.
// A layer is one file; modules in no layer stay in small files that load when they are needed.
import { copyFileSync, readdirSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const OWN = dirname(fileURLToPath(import.meta.url));
const PACKAGES = join(dirname(OWN), 'node_modules');

/** Programs, and the thread that embeds. They keep their names; their parts are in `parts/`. */
const ENTRIES = ['cli/start', 'embedding/worker'];

/**
 * What is loaded together, the most urgent first: a layer contains the modules it names and all that they import,
 * except what an earlier layer contains. So a hook reads one layer, a server's greeting two, --help three
 * (test/e2e/start.test.ts).
 */
const LAYERS = {
  hook: ['cli/start', 'core/chrono', 'core/plural', 'platform/shell-quoted'],
  store: ['cli/commands/hook/context'],
  program: ['cli/app/program', 'cli/programs/mcp', 'cli/app/runner', 'cli/commands/server/run'],
  commands: ['cli/programs/mempalace', 'cli/programs/docs', 'cli/programs/session'],
  finding: ['reading/index', 'search/index'],
  embedding: ['embedding/index'],
  engine: ['embedding/engine', 'onnxruntime-node', '@huggingface/tokenizers'],
  model: ['cli/app/palace-model'],
  'wake-up': ['cli/commands/wake-up/run', 'knowledge/diary/agent'],
  search: ['cli/commands/search/run', 'cli/app/query-embedder'],
};

/**
 * Joined as well: packages of several files, and those that every search loads. Native parts stay where npm installed them.
 */
const JOINED = [
  'commander',
  'better-sqlite3',
  'onnxruntime-node',
  'onnxruntime-common',
  '@huggingface/tokenizers',
  'stemmer',
  'get-east-asian-width',
];

/** ONNX Runtime looks for its native part from its own file; joined, it is found from anywhere. */
const nativeOfRuntime = {
  name: 'native part of onnxruntime-node',
  transform: {
    filter: { id: /onnxruntime-node[\\/]dist[\\/]binding\.js$/ },
    handler(code) {
      const found = code.replace('require(`../bin/', 'require(`onnxruntime-node/bin/');
      if (found === code) throw new Error('onnxruntime-node loads its native part in another way');
      return found;
    },
  },
};

/**
 * Joins the modules in `folder`, in place. Where the bundler does not run (it needs a newer Node 20 than the programs
 * do) they stay as they are: the programs work, and start slower.
 *
 * @throws Error when a module or an import is missing
 */
export async function joinModules(folder) {
  const { rolldown } = await import('rolldown').catch((error) => {
    console.warn(`The programs will start slower than they could: ${error.message}`);
    return {};
  });
  if (rolldown === undefined) return;
  const fileOf = (module) =>
    JOINED.includes(module) ? mainOf(module) : join(folder, ...`${module}.js`.split('/'));
  const bundle = await rolldown({
    input: Object.fromEntries(ENTRIES.map((entry) => [entry, fileOf(entry)])),
    platform: 'node',
    external: (id) => /^[^./\0]/.test(id) && !/^[A-Z]:/.test(id) && !JOINED.includes(id),
    checks: { ineffectiveDynamicImport: false },
    preserveEntrySignatures: 'allow-extension',
    plugins: [nativeOfRuntime],
  });
  const groups = Object.entries(LAYERS).map(([name, modules], index, { length }) => {
    const files = modules.map(fileOf);
    return { name, priority: length - index, test: (id) => files.includes(id) };
  });
  await bundle.write({
    dir: folder,
    format: 'esm',
    comments: false,
    entryFileNames: '[name].js',
    // The modules that do a command's work are all called `run`.
    chunkFileNames: ({ name, facadeModuleId }) =>
      `parts/${name === 'run' ? basename(dirname(facadeModuleId ?? '')) : '[name]'}-[hash].js`,
    codeSplitting: { groups },
  });
  await bundle.close();
  for (const name of JOINED)
    copyFileSync(licenceOf(name), join(folder, 'parts', `${name.replace('/', '-')}.LICENSE`));
}

function mainOf(name) {
  return fileURLToPath(import.meta.resolve(name));
}

/** ONNX Runtime's packages come without a file. */
function licenceOf(name) {
  const folder = join(PACKAGES, name);
  const file = readdirSync(folder).find((entry) => /^licen[cs]e/i.test(entry));
  return file === undefined ? join(OWN, 'licences', 'onnxruntime.txt') : join(folder, file);
}
