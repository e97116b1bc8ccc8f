// The rooms of src/ have budgets of lines: what is said once fits. A room that outgrows its budget fails `npm run lint`. Whoever
// raises one says why, in a comment on its line.
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, sep } from 'node:path';
import { fileURLToPath } from 'node:url';

const src = join(dirname(dirname(fileURLToPath(import.meta.url))), 'src');

/** Lines of a file, at most. */
const LONGEST = 350;

const BUDGETS = {
  activity: 950,
  adapters: 430, // options are declared when their command is reached; a command that asks once per line of stdin
  broker: 1_440,
  chat: 260,
  checkpoint: 470,
  cli: 12_960, // help pages name the exit codes of their command
  clients: 450,
  config: 1_180,
  core: 2_270,
  embedding: 2_060,
  feeders: 15_200,
  hooks: 570,
  knowledge: 2_140,
  maintenance: 4_390,
  mcp: 2_120,
  metabolism: 260,
  miner: 4_130,
  operations: 7_220, // searches, wake-up, whole texts and receiving came from service, presentation, rest, mcp, terminal and cli
  platform: 2_000,
  presentation: 910,
  reading: 990,
  rest: 1_230,
  sanitiser: 3_550,
  schedule: 970,
  search: 1_750,
  service: 1_260,
  store: 7_120,
  terminal: 1_160,
  uses: 150,
  watch: 210,
};

const lines = new Map();
const problems = [];
for (const entry of readdirSync(src, { recursive: true, withFileTypes: true })) {
  if (!entry.isFile()) continue;
  const file = join(entry.parentPath, entry.name).slice(src.length + 1);
  const count = readFileSync(join(src, file), 'utf8').split('\n').length - 1;
  if (count > LONGEST) problems.push(`src/${file} has ${count} lines: ${LONGEST} at most`);
  const [room = ''] = file.split(sep);
  lines.set(room, (lines.get(room) ?? 0) + count);
}
for (const [room, count] of lines) {
  const budget = BUDGETS[room];
  if (budget === undefined) problems.push(`src/${room} has no budget in scripts/check-size.mjs`);
  else if (count > budget) problems.push(`src/${room} has ${count} lines: its budget is ${budget}`);
}
for (const problem of problems) console.error(problem);
process.exit(problems.length === 0 ? 0 : 1);
