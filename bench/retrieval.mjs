/**
 * The quality of search, through the product's own commands (`npm run build` first; `npm run
 * bench:retrieval` does both): conversations with questions whose evidence is known, and documents with
 * questions whose section is known, each against BM25 alone, vectors alone and rank fusion in the same run.
 */
import { mkdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { jsonOf, missesOf, rowsOf } from './retrieval/report.mjs';
import { renderTable } from './support/figures.mjs';
import { newMachine } from './support/machine.mjs';
import { runBench } from './support/main.mjs';

const SETS = {
  locomo: async () => (await import('./retrieval/on-conversations.mjs')).benchConversations,
  docs: async () => (await import('./retrieval/on-documents.mjs')).benchDocuments,
};

const HELP = `Usage: node bench/retrieval.mjs [options]

  --only <set>   only this set (repeatable): ${Object.keys(SETS).join(', ')}
  --keep <dir>   keep transcripts and palaces there; the next run with it files only what changed
  --verbose      list the questions whose evidence is not found first
  --json         print all figures, and the ranks for each question, as JSON
  --help         print this help

Figures are per cent: the share of evidence found among the first 1, 5 and 10, and nDCG@10.
Exit code 0: every target met; 1: one was missed; 2: the bench could not run.
`;

function options() {
  const { values } = parseArgs({
    options: {
      only: { type: 'string', multiple: true },
      keep: { type: 'string' },
      verbose: { type: 'boolean', default: false },
      json: { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
    },
  });
  const unknown = (values.only ?? []).find((name) => !(name in SETS));
  if (unknown !== undefined) throw new Error(`there is no set ${unknown}; there are ${Object.keys(SETS)}`);
  return { ...values, names: values.only ?? Object.keys(SETS) };
}

async function main() {
  const { names, keep, verbose, json, help } = options();
  if (help) {
    process.stdout.write(HELP);
    return;
  }
  const machine = newMachine();
  const folder = keep === undefined ? join(machine.folder, 'retrieval') : resolve(keep);
  mkdirSync(folder, { recursive: true });
  const sets = [];
  for (const name of names) {
    const bench = await SETS[name]();
    sets.push(await bench(machine, folder, (text) => process.stderr.write(`${text}\n`)));
  }
  machine.remove();
  const rows = sets.flatMap(rowsOf);
  if (json) {
    process.stdout.write(`${JSON.stringify({ sets: sets.map(jsonOf), rows }, null, 2)}\n`);
  } else {
    process.stdout.write(`${renderTable(rows)}\n`);
    if (verbose) process.stdout.write(`\n${sets.map(missesOf).join('\n\n')}\n`);
  }
  if (rows.some((row) => row.met === false)) process.exitCode = 1;
}

await runBench(main);
