// Joins the compiled modules: Node takes about a millisecond for each file it imports, and a start imports a
// hundred. What lies in one layer is one file; whatever no layer names stays in pieces that load when they are needed.
import { copyFileSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { isBuiltin } from 'node:module';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const PACKAGES = join(dirname(dirname(fileURLToPath(import.meta.url))), 'node_modules');

/** Programs, and the thread that embeds. They keep their names; their parts lie in `parts/`. */
const ENTRIES = ['cli/start', 'embedding/worker'];

/**
 * What is loaded together, the most hurried first: a layer has the modules it names and all that they import, but for
 * what an earlier one has. So a hook reads one layer, a server's greeting two, --help three. None may need a later one
 * (test/e2e/start.test.ts).
 */
const LAYERS = {
  hook: ['cli/start', 'core/plural', 'platform/shell-quoted'],
  waking: ['cli/commands/hook/context'],
  program: ['cli/app/program', 'cli/programs/mcp', 'cli/app/runner', 'cli/commands/server/run'],
  commands: ['cli/programs/mempalace', 'cli/programs/docs', 'cli/programs/session'],
  store: ['store/index'],
  finding: ['search/index', 'reading/index'],
  reading: ['cli/commands/wake-up/run', 'cli/commands/search/run'],
  embedding: ['cli/app/query-embedder', 'embedding/index'],
  engine: ['embedding/engine'],
};

/**
 * The packages that are joined, too: every start but a hook's reads nine files of the one, everything that opens a
 * palace eleven of the other, which leaves its native part where it lies.
 */
const JOINED = ['commander', 'better-sqlite3'];

const isExternal = (id) => !/^[./]|^[A-Za-z]:/.test(id) && !JOINED.includes(id);
/** Looked for by better-sqlite3 when nothing tells it where its native part lies: a package that is not there. */
const LAST_RESORT = 'bindings';
const isPackage = (id) => isExternal(id) && !isBuiltin(id) && id !== LAST_RESORT;

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
  const alias = await joinPackages(rolldown, join(folder, 'packages'));
  const bundle = await rolldown({
    input: Object.fromEntries(ENTRIES.map((entry) => [entry, join(folder, `${entry}.js`)])),
    platform: 'node',
    external: isExternal,
    resolve: { alias },
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
    chunkFileNames: ({ name, facadeModuleId }) =>
      `parts/${name === 'run' ? basename(dirname(facadeModuleId ?? '')) : '[name]'}-[hash].js`,
    // A layer is whole by itself; a group would take along what its modules import out of an earlier one.
    codeSplitting: {
      groups: [{ debugName: 'layers', name: (id, context) => layerOf(id, context) ?? null }],
      includeDependenciesRecursively: false,
    },
  });
  await bundle.close();
  skipFacades(join(folder, 'parts'));
  rmSync(join(folder, 'packages'), { recursive: true });
  for (const name of JOINED) {
    copyFileSync(join(PACKAGES, name, 'LICENSE'), join(folder, 'parts', `${name}.LICENSE`));
  }
}

/**
 * Each joined package as one module of its own: what the bundler needs to hold CommonJS modules together lies in that,
 * and not in a file more that every start would load.
 *
 * @returns the module's path by the package's name
 */
async function joinPackages(rolldown, folder) {
  const modules = {};
  for (const name of JOINED) {
    const file = join(folder, `${name}.js`);
    const bundle = await rolldown({
      input: fileURLToPath(import.meta.resolve(name)),
      platform: 'node',
      external: (id) => isBuiltin(id) || id === LAST_RESORT,
    });
    await bundle.write({ file, format: 'esm', comments: false });
    await bundle.close();
    modules[name] = file;
  }
  return modules;
}

/**
 * A module that is imported when it is needed, and lies in a layer with others, gets a file that passes on what is its
 * own. Such imports go straight to the layer instead: one file less for every start.
 */
function skipFacades(folder) {
  const texts = new Map(readdirSync(folder).map((name) => [name, readFileSync(join(folder, name), 'utf8')]));
  const facades = [...texts].flatMap(([name, text]) => {
    const [, names, layer] = /^export \{ ([^}]+) \} from "\.\/([^"]+)";\s*$/.exec(text) ?? [];
    if (layer === undefined) return [];
    const own = names
      .split(', ')
      .map((name) => name.trim().split(' as '))
      .map(([inLayer, inModule = inLayer]) => `${inModule}: layer.${inLayer}`)
      .join(', ');
    return [
      { name, dynamic: `import("./${name}")`, direct: `import("./${layer}").then((layer) => ({ ${own} }))` },
    ];
  });
  for (const [name, text] of texts) {
    const straight = facades.reduce(
      (before, { dynamic, direct }) => before.replaceAll(dynamic, direct),
      text,
    );
    if (straight !== text) writeFileSync(join(folder, name), straight);
    texts.set(name, straight);
  }
  for (const { name } of facades)
    if (![...texts.values()].some((text) => text.includes(name))) rmSync(join(folder, name));
}
