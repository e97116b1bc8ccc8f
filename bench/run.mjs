/**
 * Measures the built programs (`npm run build` first; `npm run bench` does both) and prints one table. Every
 * command runs in an empty temporary HOME, which is removed afterwards; baselines run in between, in the same run.
 */
import { availableParallelism, cpus, loadavg } from 'node:os';
import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { renderTable } from './support/figures.mjs';
import { runBench } from './support/main.mjs';

/** In the order of the table; each module is loaded when its turn comes. */
const BENCHES = {
  startup: async () => (await import('./startup.mjs')).benchStartup,
  unchanged: async () => (await import('./unchanged.mjs')).benchUnchanged,
  backfill: async () => (await import('./backfill.mjs')).benchBackfill,
  memory: async () => (await import('./memory.mjs')).benchMemory,
  search: async () => (await import('./search.mjs')).benchSearch,
  mcp: async () => (await import('./mcp.mjs')).benchMcp,
  broker: async () => (await import('./broker.mjs')).benchBroker,
  page: async () => (await import('./page.mjs')).benchPage,
  hook: async () => (await import('./hook.mjs')).benchHook,
  resume: async () => (await import('./resume.mjs')).benchResume,
};
const HELP = `Usage: node bench/run.mjs [options]

  --only <name>   only this bench (repeatable): ${Object.keys(BENCHES).join(', ')}
  --quick         small sizes and few runs: to see that the benches work; no target applies
  --against <dir> another built checkout, which the bench resume compares with
  --keep <dir>    keep the palaces of search, mcp, broker and page there, and use those that are there
  --json          print the rows as JSON
  --help          print this help

Without --only all run: about 32 minutes on two cores. Progress goes to stderr.
`;

function options() {
  const { values } = parseArgs({
    options: {
      only: { type: 'string', multiple: true },
      quick: { type: 'boolean', default: false },
      against: { type: 'string' },
      keep: { type: 'string' },
      json: { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
    },
  });
  const unknown = (values.only ?? []).find((name) => !(name in BENCHES));
  if (unknown !== undefined)
    throw new Error(`there is no bench ${unknown}; there are ${Object.keys(BENCHES)}`);
  return { ...values, names: values.only ?? Object.keys(BENCHES) };
}

/** Includes the load: on a busy machine only ratios can be trusted. */
function machine() {
  const load = loadavg()[0].toFixed(1);
  return `node ${process.version}, ${availableParallelism()} × ${cpus()[0]?.model ?? 'CPU'}, load ${load}`;
}

async function main() {
  const { names, quick, against, keep, json, help } = options();
  if (help) {
    process.stdout.write(HELP);
    return;
  }
  const rows = [];
  for (const name of names) {
    const note = (text) => process.stderr.write(`${name}: ${text}\n`);
    note(machine());
    const bench = await BENCHES[name]();
    rows.push(...(await bench({ quick, against, note, ...(keep !== undefined && { keep: resolve(keep) }) })));
    note('done');
  }
  process.stdout.write(
    json ? `${JSON.stringify({ machine: machine(), rows }, null, 2)}\n` : `${renderTable(rows)}\n`,
  );
  if (rows.some((row) => row.met === false)) process.exitCode = 1;
}

await runBench(main);
