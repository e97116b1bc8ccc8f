// Joins the compiled modules: Node takes about a millisecond for each file it imports, and a start imports a hundred.
// A layer is one file; modules in no layer stay in small files that load when they are needed. The files are CommonJS, which Node
// can load with stored machine code (load-parts.cjs).
import { copyFileSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { setFlagsFromString } from 'node:v8';
import { compile } from './load-parts.cjs';

const OWN = dirname(fileURLToPath(import.meta.url));
const PACKAGES = join(dirname(OWN), 'node_modules');
const LOADER = join(OWN, 'load-parts.cjs');
/** Where the parts will be: compiled code contains the path, for stack traces. */
const FINAL = join(dirname(OWN), 'dist', 'parts');

/** Programs, and the threads that embed and read, with their exports. Each becomes a `.cjs`; their parts are in `parts/`. */
const ENTRIES = { 'cli/start': ['run', 'start'], 'embedding/worker': [], 'service/threads/reader': [] };

/**
 * What is loaded together, the most urgent first: a layer contains the modules it names and all that they import,
 * except what an earlier layer contains. So a hook reads one layer, a server's greeting two, --help five
 * (test/e2e/start.test.ts).
 */
const LAYERS = {
  hook: [
    'cli/start',
    'core/chrono',
    'core/coverage',
    'core/file-path',
    'core/group-by',
    'core/json',
    'core/plural',
    'core/project-id',
    'core/source-type',
    'core/text-kind',
    'core/tokens',
    'core/turns',
    'embedding/models-folder',
    'platform/checkout',
    'platform/in-package',
    'platform/read-text',
    'platform/shell-quoted',
    'operations/wake-up/start',
    'reading/speakers',
    'search/query',
  ],
  store: ['cli/commands/hook/context'],
  resume: ['cli/commands/hook/resume', 'feeders/transcripts/records', 'feeders/transcripts/head'],
  relay: ['cli/commands/server/run'],
  program: ['cli/app/program', 'cli/programs/needed', 'cli/programs/mcp'],
  // Of every operation.
  shapes: ['zod/v4/mini/schemas.js', 'zod/v4/mini/iso.js', 'zod/v4/mini/checks.js', 'zod/v4/locales/en.js'],
  // What commands made of operations share.
  asking: [
    'adapters/cli',
    'cli/app/open-service',
    'knowledge/diary/agent',
    'operations/known-names',
    'service/contract/outside',
    'terminal/labels',
    'terminal/pager',
    'uses/log',
  ],
  searching: ['cli/commands/search', 'operations/search/text', 'operations/drawer-fields'],
  waking: ['cli/commands/wake-up'],
  feeders: ['cli/programs/docs', 'cli/programs/session', 'reading/speakers'],
  finding: ['reading/index', 'search/index'],
  embedding: ['embedding/index'],
  engine: ['embedding/engine', 'onnxruntime-node', '@huggingface/tokenizers'],
  model: ['cli/app/palace-model'],
  // What commands do not load if a broker answers them.
  serving: ['service/sqlite/index', 'service/palace/views', 'reading/find'],
  answering: ['operations/search/run'],
  schemas: ['zod'],
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
  'zod',
  'get-east-asian-width',
];

/** Also a part of zod that is imported by itself. */
const isJoined = (id) => JOINED.includes(id) || id.startsWith('zod/');

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

/** It starts no programs for us. */
const commanderAlone = {
  name: 'commander without child_process',
  transform: {
    filter: { id: /commander[\\/]lib[\\/]command\.js$/ },
    handler(code) {
      const found = code.replace(/^const childProcess = require\(.*\n/m, 'const childProcess = undefined;\n');
      if (found === code) throw new Error('commander loads child_process in another way');
      return found;
    },
  },
};

/** Modules of Node that take a millisecond or more to load: a part loads them when they are used. */
const HEAVY = ['child_process', 'crypto', 'http', 'net', 'stream', 'timers/promises', 'worker_threads'];
const HEAVY_IMPORT = new RegExp(`^let (node_\\w+) = (require\\("node:(?:${HEAVY.join('|')})"\\));$`, 'gm');

function importingLate(code) {
  const names = Array.from(code.matchAll(HEAVY_IMPORT), ([, name]) => name);
  return names.reduce(
    // In parentheses, for `new`.
    (text, name) => text.replaceAll(new RegExp(`\\b${name}\\.(?=\\w)`, 'g'), `(${name}()).`),
    code.replace(HEAVY_IMPORT, 'const $1 = () => $2;'),
  );
}

/**
 * Joins the modules in `folder`, in place. Where the bundler does not run (it needs a newer Node 20 than the programs
 * do) they stay as they are: the programs work, and start slower.
 *
 * @throws Error when a module or an import is missing
 */
export async function joinModules(folder) {
  const rolldown = await bundler();
  if (rolldown === undefined) {
    for (const [entry, names] of Object.entries(ENTRIES))
      writeFileSync(join(folder, `${entry}.cjs`), passedOn(entry, names));
    return;
  }
  const parts = join(folder, 'parts');
  const fileOf = (module) => (isJoined(module) ? mainOf(module) : join(folder, ...`${module}.js`.split('/')));
  const bundle = await rolldown({
    input: Object.fromEntries(Object.keys(ENTRIES).map((entry) => [basename(entry), fileOf(entry)])),
    platform: 'node',
    external: (id) => /^[^./\0]/.test(id) && !/^[A-Z]:/.test(id) && !isJoined(id),
    checks: { ineffectiveDynamicImport: false },
    preserveEntrySignatures: 'allow-extension',
    plugins: [nativeOfRuntime, commanderAlone],
  });
  const groups = Object.entries(LAYERS).map(([name, modules], index, { length }) => {
    const files = modules.map(fileOf);
    return { name, priority: length - index, test: (id) => files.includes(id) };
  });
  await bundle.write({
    dir: parts,
    format: 'cjs',
    comments: false,
    entryFileNames: 'main-[name].cjs',
    // Modules of several commands are called the same.
    chunkFileNames: ({ name, facadeModuleId }) =>
      `${['command', 'run'].includes(name) ? basename(dirname(facadeModuleId ?? '')) : '[name]'}-[hash].cjs`,
    codeSplitting: { groups },
  });
  await bundle.close();
  compileAll(parts, join(folder, 'compiled'));
  for (const [entry, names] of Object.entries(ENTRIES)) {
    const load = `loadPart('main-${basename(entry)}.cjs');`;
    const exported = names.map((name) => `exports.${name} = main.${name};\n`).join('');
    // The loader finds the parts from where it is copied to.
    const up = "'..', ".repeat(entry.split('/').length - 1);
    const loader = readFileSync(LOADER, 'utf8').replaceAll("'..', ", up);
    writeFileSync(join(folder, `${entry}.cjs`), `${loader}\nconst main = ${load}\n${exported}`);
    rmSync(join(folder, `${entry}.js`));
  }
  for (const name of JOINED) copyFileSync(licenceOf(name), join(parts, `${name.replace('/', '-')}.LICENSE`));
}

/** The text of a program's file if its modules stay as they are. */
function passedOn(entry, names) {
  const main = `import('./${basename(entry)}.js')`;
  if (names.length === 0) return `${main};\n`;
  return names
    .map((name) => `exports.${name} = async (...given) => (await ${main}).${name}(...given);\n`)
    .join('');
}

/** @returns undefined where it does not run */
export async function bundler() {
  try {
    return (await import('rolldown')).rolldown;
  } catch (error) {
    console.warn(`The programs will start slower than they could, and there is no page: ${error.message}`);
    return undefined;
  }
}

/** Stores the machine code of all functions, also of those that V8 would compile when they are called. */
function compileAll(parts, compiled) {
  mkdirSync(compiled);
  setFlagsFromString('--no-lazy');
  const scripts = readdirSync(parts).map((name) => {
    const file = join(parts, name);
    const code = importingLate(readFileSync(file, 'utf8'))
      .replace(/\bimport\((?=")/g, 'importPackage(')
      .replace(/[^\0-\x7f]/g, escaped);
    writeFileSync(file, code);
    return { name, script: compile(join(FINAL, name), code) };
  });
  // The flags of a start, which V8 compares.
  setFlagsFromString('--lazy');
  for (const { name, script } of scripts) writeFileSync(join(compiled, name), script.createCachedData());
}

const escaped = (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`;

/** The file of a package, or one of its files. */
function mainOf(name) {
  return name.endsWith('.js') ? join(PACKAGES, ...name.split('/')) : fileURLToPath(import.meta.resolve(name));
}

/** ONNX Runtime's packages come without a file. */
export function licenceOf(name) {
  const folder = join(PACKAGES, name);
  const file = readdirSync(folder).find((entry) => /^licen[cs]e/i.test(entry));
  return file === undefined ? join(OWN, 'licences', 'onnxruntime.txt') : join(folder, file);
}
