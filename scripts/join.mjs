// Joins the compiled modules: Node takes about a millisecond for each file it imports, and a start imports a
// hundred. What lies in one layer is one file; whatever no layer names stays in pieces that load when they are needed.
import { copyFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** Programs, and the thread that embeds. They keep their names; their parts lie in `parts/`. */
const ENTRIES = [
  'cli/mempalace-main',
  'cli/docs-main',
  'cli/mcp-main',
  'cli/session-main',
  'miner/embed/worker',
];

/**
 * What is loaded together, the most hurried first: a layer has the modules it names and all that they import, but for
 * what an earlier one has. So a hook reads one layer, a server's greeting two, --help three. None may need a later one
 * (test/e2e/start.test.ts).
 */
const LAYERS = {
  hook: ['cli/hook-config', 'cli/hook-run', 'common/plural', 'common/shell-quoted'],
  program: ['cli/program', 'cli/programs/mcp', 'cli/perform', 'cli/mcp-server'],
  commands: ['cli/programs/mempalace', 'cli/programs/docs', 'cli/programs/session'],
  store: ['store/index'],
  waking: ['cli/wake-up-text'],
  finding: ['search/index', 'reading/index'],
  reading: ['cli/wake-up', 'cli/search'],
  embedding: ['cli/query-embedder', 'miner/embed/index'],
  engine: ['miner/embed/engine'],
};

/** The one package that is joined, too: every start but a hook's reads its nine files. */
const PARSER = 'commander';
const PARSER_LICENSE = join(
  dirname(dirname(fileURLToPath(import.meta.url))),
  'node_modules',
  PARSER,
  'LICENSE',
);

const isExternal = (id) => !/^[./]|^[A-Za-z]:/.test(id) && id !== PARSER;
const isPackage = (id) => isExternal(id) && !id.startsWith('node:');

/**
 * The file of each module that lies in a layer, by the module's path. Modules that do without any package lie apart in
 * `<layer>-bare`: they load, and load quickly, where a package is missing or broken.
 */
function layersOf(folder, importsOf) {
  const known = new Map();
  const needsPackage = (id) => {
    if (isExternal(id)) return isPackage(id);
    if (!known.has(id)) {
      // Said for now, in case it comes round to itself.
      known.set(id, false);
      known.set(id, importsOf(id).some(needsPackage));
    }
    return known.get(id);
  };
  const layers = new Map();
  const add = (id, layer) => {
    if (isExternal(id) || layers.has(id)) return;
    layers.set(id, needsPackage(id) ? layer : `${layer}-bare`);
    for (const imported of importsOf(id)) add(imported, layer);
  };
  for (const [layer, roots] of Object.entries(LAYERS))
    for (const root of roots) add(join(folder, ...`${root}.js`.split('/')), layer);
  return layers;
}

/**
 * Joins the modules in `folder`, in place. Where the bundler does not run (it wants a newer Node 20 than the programs
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
  const bundle = await rolldown({
    input: Object.fromEntries(ENTRIES.map((entry) => [entry, join(folder, `${entry}.js`)])),
    platform: 'node',
    external: isExternal,
    checks: { ineffectiveDynamicImport: false },
    preserveEntrySignatures: 'allow-extension',
  });
  let layers;
  const layerOf = (id, context) => {
    layers ??= layersOf(folder, (module) => context.getModuleInfo(module)?.importedIds ?? []);
    return layers.get(id);
  };
  await bundle.write({
    dir: folder,
    format: 'esm',
    comments: false,
    entryFileNames: '[name].js',
    chunkFileNames: 'parts/[name]-[hash].js',
    // A layer is whole by itself; a group would take along what its modules import out of an earlier one.
    codeSplitting: {
      groups: [{ debugName: 'layers', name: (id, context) => layerOf(id, context) ?? null }],
      includeDependenciesRecursively: false,
    },
  });
  await bundle.close();
  copyFileSync(PARSER_LICENSE, join(folder, 'parts', `${PARSER}.LICENSE`));
}
