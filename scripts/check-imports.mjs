// The rooms of src/ and which of them each may import: the arrows of ARCHITECTURE.md, kept by CI.
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const src = join(root, 'src');

const MAY_IMPORT = {
  common: [],
  config: ['common'],
  sanitiser: ['common'],
  store: ['common'],
  'feeders/docs': ['common', 'sanitiser', 'feeders'],
  'feeders/session': ['common', 'sanitiser', 'feeders'],
  'feeders/transcripts': ['common', 'sanitiser', 'feeders', 'feeders/session'],
  'feeders/chroma': ['common', 'sanitiser', 'feeders'],
  feeders: ['common', 'sanitiser'],
  miner: ['common', 'sanitiser', 'store'],
  search: ['common', 'store', 'miner/embed'],
  reading: ['common', 'store'],
  graph: ['common', 'sanitiser', 'store'],
  diary: ['common', 'sanitiser', 'store', 'miner'],
  models: ['common', 'miner/embed'],
  doctor: ['common', 'config', 'store', 'miner', 'miner/embed', 'feeders/session', 'schedule'],
  schedule: ['common'],
  hooks: ['common'],
  upkeep: ['common', 'store', 'reading', 'graph'],
  verify: ['common', 'sanitiser', 'store', 'feeders/session', 'feeders/transcripts', 'miner'],
  mcp: [
    'common',
    'config',
    'store',
    'search',
    'reading',
    'miner',
    'miner/embed',
    'sanitiser',
    'graph',
    'diary',
  ],
  cli: [
    'common',
    'config',
    'sanitiser',
    'store',
    'feeders',
    'feeders/docs',
    'feeders/session',
    'feeders/transcripts',
    'feeders/chroma',
    'miner',
    'search',
    'reading',
    'graph',
    'diary',
    'models',
    'doctor',
    'schedule',
    'hooks',
    'upkeep',
    'verify',
    'mcp',
  ],
};

const ROOMS = Object.keys(MAY_IMPORT).sort((a, b) => b.length - a.length);
const roomOf = (path) => ROOMS.find((room) => path === room || path.startsWith(`${room}/`));

const files = readdirSync(src, { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.ts'));
const problems = [];
for (const file of files) {
  const text = readFileSync(join(src, file), 'utf8');
  const room = roomOf(file);
  if (!room) {
    problems.push(`src/${file}: belongs to no room`);
    continue;
  }
  for (const [, specifier] of text.matchAll(/(?:from|import)\s*\(?\s*'(\.[^']+)'/g)) {
    const target = relative(src, resolve(dirname(join(src, file)), specifier));
    const other = roomOf(target);
    if (other === room) continue;
    const allowed = MAY_IMPORT[room].some(
      (name) => target.startsWith(`${name}/`) && (name !== 'feeders' || other === 'feeders'),
    );
    if (!allowed) problems.push(`src/${file}: ${room} may not import ${other ?? target} (${specifier})`);
  }
  if (
    room !== 'cli' &&
    /\bprocess\.exit\(|\bconsole\.(log|error|warn|info)\(|process\.std(out|err)\.write/.test(text)
  ) {
    problems.push(`src/${file}: core code never prints and never exits`);
  }
}
if (problems.length > 0) {
  console.error(problems.join('\n'));
  process.exit(1);
}
