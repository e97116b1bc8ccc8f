// The layers of src/: each imports only from those that it lists, and from those that they may import from. CI checks it, with
// the diagram of ARCHITECTURE.md. Also: no circle of any kind, type imports included.
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const src = join(root, 'src');

const BASE = ['core', 'platform'];
const FEEDER = [...BASE, 'checkpoint', 'sanitiser', 'feeders/staging'];

const MAY_IMPORT = {
  core: [],
  activity: ['core'],
  checkpoint: ['core', 'activity'],
  platform: ['core'],
  config: BASE,
  sanitiser: ['core'],
  schedule: BASE,
  hooks: BASE,
  clients: BASE,
  setup: [...BASE, 'sanitiser', 'schedule', 'clients', 'hooks'],
  broker: BASE,
  uses: BASE,
  watch: [...BASE, 'broker'],
  store: [...BASE, 'activity'],
  embedding: BASE,
  chat: BASE,
  'embedding/models': [...BASE, 'embedding'],
  'feeders/staging': [...BASE, 'sanitiser'],
  'feeders/docs': FEEDER,
  'feeders/session': FEEDER,
  // An export of opencode is transcribed like its database.
  'feeders/transcripts': [...FEEDER, 'feeders/session'],
  'feeders/mempalace': FEEDER,
  search: [...BASE, 'store', 'embedding'],
  reading: ['core', 'activity', 'store'],
  miner: [...BASE, 'activity', 'checkpoint', 'sanitiser', 'store', 'embedding'],
  'knowledge/facts': ['core', 'sanitiser', 'store', 'reading'],
  'knowledge/collections': ['core', 'sanitiser', 'store', 'reading'],
  // An entry is filed like any drawer.
  'knowledge/diary': ['core', 'sanitiser', 'store', 'embedding', 'miner'],
  'knowledge/summaries': ['core', 'sanitiser', 'store', 'embedding', 'miner'],
  'knowledge/patterns': ['core', 'store', 'reading', 'knowledge/diary'],
  'knowledge/conflicts': ['core', 'sanitiser', 'store', 'embedding', 'miner', 'knowledge/facts'],
  'knowledge/tasks': ['core', 'sanitiser', 'store', 'knowledge/diary'],
  suggestions: ['core', 'uses', 'store'],
  'maintenance/backup': [...BASE, 'store'],
  'maintenance/rebuild': [...BASE, 'store', 'embedding', 'miner'],
  'maintenance/scrub': ['core', 'sanitiser', 'store', 'embedding', 'miner'],
  'maintenance/transfer': [
    ...BASE,
    'store',
    'miner',
    'reading',
    'knowledge/facts',
    'knowledge/collections',
    'knowledge/tasks',
  ],
  'maintenance/verify': [
    ...BASE,
    'sanitiser',
    'store',
    'miner',
    'feeders/staging',
    'feeders/session',
    'feeders/transcripts',
  ],
  'maintenance/doctor': [
    ...BASE,
    'config',
    'broker',
    'clients',
    'hooks',
    'setup',
    'store',
    'embedding',
    'schedule',
    'feeders/session',
    'feeders/transcripts',
    'maintenance/rebuild',
  ],
  maintenance: [...BASE, 'uses', 'store', 'maintenance/backup'],
  // Schemas of plain data: a client of a broker knows them, and no store.
  'service/contract': ['core', 'search'],
  // The palace of this machine, its model and its writer.
  'service/palace': [...BASE, 'service/contract', 'sanitiser', 'store', 'embedding'],
  'service/sqlite': [
    ...BASE,
    'service/contract',
    'service/palace',
    'operations',
    'suggestions',
    'uses',
    'checkpoint',
    'sanitiser',
    'store',
    'embedding',
    'search',
    'reading',
    'miner',
    'knowledge/collections',
    'knowledge/facts',
    'knowledge/conflicts',
    'knowledge/diary',
    'knowledge/patterns',
    'suggestions',
    'knowledge/summaries',
    'knowledge/tasks',
    'maintenance',
  ],
  // Of `rpc`.
  service: [...BASE, 'service/contract'],
  'service/confined': ['core', 'service/contract', 'operations'],
  'service/threads': [
    ...BASE,
    'store',
    'embedding',
    'service',
    'service/contract',
    'service/palace',
    'service/sqlite',
  ],
  terminal: [...BASE, 'service/contract', 'search', 'reading'],
  // What can be asked of a palace, each thing declared once.
  operations: [
    ...BASE,
    'checkpoint',
    'config',
    'terminal',
    'service/contract',
    'service/palace',
    'store',
    'search',
    'uses',
    'embedding',
    'reading',
    'miner',
    'knowledge/facts',
    'knowledge/collections',
    'knowledge/conflicts',
    'knowledge/patterns',
    'knowledge/diary',
    'suggestions',
    'knowledge/summaries',
    'knowledge/tasks',
    'maintenance',
    'feeders/staging',
  ],
  // Addresses and tools made of operations.
  adapters: ['core', 'config', 'operations', 'service/contract'],
  // The same documents over HTTP.
  rest: [
    ...BASE,
    'operations',
    'adapters',
    'service/contract',
    'service/confined',
    'config',
    'search',
    'knowledge/diary',
  ],
  mcp: [
    ...BASE,
    'operations',
    'adapters',
    'service/palace',
    'service/contract',
    'service/confined',
    'service/sqlite',
    'config',
    'sanitiser',
    'store',
    'embedding',
    'search',
    'reading',
    'miner',
    'knowledge/facts',
    'knowledge/diary',
  ],
};
const LAYERS = Object.keys(MAY_IMPORT);
MAY_IMPORT.cli = [...LAYERS, 'adapters/cli'];
// Commands made of operations.
MAY_IMPORT['adapters/cli'] = [...LAYERS, 'cli'];

const byLength = Object.keys(MAY_IMPORT).sort((a, b) => b.length - a.length);
const layerOf = (path) => byLength.find((layer) => path === `${layer}.ts` || path.startsWith(`${layer}/`));

const files = readdirSync(src, { recursive: true, encoding: 'utf8' })
  .map((file) => file.replaceAll('\\', '/'))
  .filter((file) => file.endsWith('.ts'));
const problems = [];
/** The imports of each file, including types and lazy imports. */
const imports = new Map();
for (const file of files) {
  const text = readFileSync(join(src, file), 'utf8');
  const layer = layerOf(file);
  if (layer === undefined) {
    problems.push(`src/${file}: belongs to no layer`);
    continue;
  }
  const targets = [...text.matchAll(/(?:from|import)\s*(\(?)\s*'(\.[^']+)'/g)].map(
    ([, lazy = '', specifier = '']) => ({
      lazy: lazy !== '',
      path: relative(src, resolve(dirname(join(src, file)), specifier))
        .replaceAll('\\', '/')
        .replace(/\.js$/, '.ts'),
    }),
  );
  imports.set(
    file,
    targets.filter(({ lazy }) => !lazy).map(({ path }) => path),
  );
  for (const { path } of targets) {
    const other = layerOf(path);
    if (other !== layer && !MAY_IMPORT[layer].includes(other))
      problems.push(`src/${file}: ${layer} may not import ${other ?? path} (${path})`);
  }
  if (
    layer !== 'cli' &&
    layer !== 'terminal' &&
    /\bprocess\.exit\(|\bconsole\.(log|error|warn|info)\(|process\.std(out|err)\.write/.test(text)
  ) {
    problems.push(`src/${file}: core code never prints and never exits`);
  }
}

/** Circles that are there to be cured: the list may only get shorter. */
const KNOWN = new Set([]);
const done = new Set();
const found = new Set();
function walk(file, path) {
  const at = path.indexOf(file);
  if (at >= 0) {
    const circle = path.slice(at);
    const name = [...circle].sort().join(' ');
    if (!found.has(name) && !KNOWN.has(name)) problems.push(`a circle: ${[...circle, file].join(' > ')}`);
    found.add(name);
    return;
  }
  if (done.has(file)) return;
  for (const next of imports.get(file) ?? []) walk(next, [...path, file]);
  done.add(file);
}
for (const file of files) walk(file, []);

if (problems.length > 0) {
  console.error(problems.join('\n'));
  process.exit(1);
}
