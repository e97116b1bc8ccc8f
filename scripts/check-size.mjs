// The rooms of src/ have budgets of lines: what is said once fits. A room that outgrows its budget fails `npm run lint`. Whoever
// raises one says why, in a comment on its line.
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, sep } from 'node:path';
import { fileURLToPath } from 'node:url';

const src = join(dirname(dirname(fileURLToPath(import.meta.url))), 'src');

/** Lines of a file, at most. */
const LONGEST = 350;

const BUDGETS = {
  activity: 1_070, // what sessions did in the last days, for Home; what sessions did, by day and project
  adapters: 560, // numbers of hits stand for ids; options are declared when their command is reached; a command that asks once per line of stdin
  broker: 1_370,
  chat: 250,
  checkpoint: 460,
  cli: 14_640, // setup, docs and sessions as commands; groups that list; numbers of hits; values of completions; hints; setup; former names of commands; completions of stored names; numbers of hits are kept per terminal; help pages name the exit codes of their command; a program that cannot load its command says how to repair it
  clients: 520, // how an entry differs is shared with setup; setup
  config: 1_160,
  core: 2_340, // former names of commands; what other tools call a command
  embedding: 1_990,
  feeders: 14_680, // which agents have sessions here; roles of messages are counted by SQL
  hooks: 650, // the entries of all agents in a table; setup
  knowledge: 2_070,
  maintenance: 4_430, // doctor says what is set up per agent; what is set up for each agent
  mcp: 2_040,
  miner: 4_080,
  operations: 7_510, // recent work; hits begin with their title; list work
  platform: 2_040, // numbers of hits per terminal; setup
  reading: 1_200, // recent work; lines of a document are names; days of work; lines of a document are names, too
  rest: 1_220,
  sanitiser: 3_550,
  schedule: 990, // all agents; every agent
  search: 1_760,
  service: 1_210,
  setup: 880, // agents, hooks, skill, history, project and schedule by one command, and back; what setup writes for each agent, and takes back
  store: 7_320, // recent work; drawers on given lines; a small palace has no statistics; work of sessions by day; drawers on given lines; a small palace has no statistics
  suggestions: 240,
  terminal: 1_170,
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
