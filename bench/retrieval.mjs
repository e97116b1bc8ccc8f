/**
 * The quality of search, through the product's own commands (`npm run build` first; `npm run bench:retrieval` does both): questions
 * with known answers in conversations, documents and short sources. Each set is compared with BM25 of whole sources, with the parts
 * of the product's ranking, and with another checkout, in the same run.
 */
import { mkdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { Product } from './retrieval/product.mjs';
import { jsonOf, missesOf, rowsOf } from './retrieval/report.mjs';
import { renderTable } from './support/figures.mjs';
import { newMachine, ROOT } from './support/machine.mjs';
import { runBench } from './support/main.mjs';

const SETS = {
  locomo: async () => (await import('./retrieval/on-conversations.mjs')).benchConversations,
  docs: async () => (await import('./retrieval/on-documents.mjs')).benchDocuments,
  short: async () => (await import('./retrieval/on-short-sources.mjs')).benchShortSources,
  summaries: async () => (await import('./retrieval/on-summaries.mjs')).benchSummaries,
  'docs-dev': async () => (await import('./retrieval/on-docs-dev.mjs')).benchDocsDev,
  prompt: async () => (await import('./retrieval/on-prompts.mjs')).benchPrompts,
};

const HELP = `Usage: node bench/retrieval.mjs [options]

  --only <set>   only this set (repeatable): ${Object.keys(SETS).join(', ')}
  --against <checkout>
                 also ask this built checkout, such as one of the commit before, in palaces of its own
  --keep <dir>   keep transcripts and palaces there; the next run with it files only what changed
  --verbose      list the questions whose evidence is not found first
  --json         print all figures, and the ranks for each question, as JSON
  --help         print this help

Figures are per cent. R@k: the share of the evidence among the first k; hit@k: an answer is among them; nDCG and MRR over ten.
Differences are in points, with the 95 % interval of a paired bootstrap over the questions.
Exit code 0: every target met; 1: one was missed; 2: the bench could not run.
`;

function options() {
  const { values } = parseArgs({
    options: {
      only: { type: 'string', multiple: true },
      against: { type: 'string' },
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

/** Adds the answers of another checkout to each group, as the ranking `before`. */
async function addBefore(set, bench, { against, folder, note }) {
  const machine = newMachine();
  const theirs = join(folder, 'before');
  mkdirSync(theirs, { recursive: true });
  const product = new Product(machine, resolve(against), ['default']);
  const { groups } = await bench(product, theirs, (text) => note(`before: ${text}`));
  machine.remove();
  set.groups.forEach((group, at) => {
    group.rankings.before = groups[at].rankings.default;
  });
}

async function main() {
  const { names, against, keep, verbose, json, help } = options();
  if (help) {
    process.stdout.write(HELP);
    return;
  }
  const machine = newMachine();
  const folder = keep === undefined ? join(machine.folder, 'retrieval') : resolve(keep);
  mkdirSync(folder, { recursive: true });
  const note = (text) => process.stderr.write(`${text}\n`);
  const sets = [];
  for (const name of names) {
    const bench = await SETS[name]();
    const set = await bench(new Product(machine, ROOT), folder, note);
    if (set === undefined) continue;
    if (against !== undefined && set.groups.length > 0)
      await addBefore(set, bench, { against, folder, note });
    sets.push(set);
  }
  machine.remove();
  const rows = sets.flatMap(rowsOf);
  if (json) {
    process.stdout.write(`${JSON.stringify({ sets: sets.map(jsonOf), rows }, null, 2)}\n`);
  } else {
    process.stdout.write(`${renderTable(rows)}\n`);
    if (verbose)
      process.stdout.write(
        `\n${sets
          .filter(({ groups }) => groups.length > 0)
          .map(missesOf)
          .join('\n\n')}\n`,
      );
  }
  if (rows.some((row) => row.met === false)) process.exitCode = 1;
}

await runBench(main);
