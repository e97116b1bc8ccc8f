/**
 * How long a search takes in palaces of several sizes (`npm run build` first; `npm run bench:search` does
 * both): warm in this process, the first one of a process, the whole command, with filters; its vector part
 * against scans over all vectors, in time and in recall; and the size of a drawer on disk.
 */
import { spawnSync } from 'node:child_process';
import { availableParallelism, cpus, loadavg } from 'node:os';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { loadEmbedder, startEmbedder } from '../dist/embedding/embedder.js';
import { Palace } from '../dist/store/index.js';
import { median, quantile, renderTable, row, timeRow } from './support/figures.mjs';
import { sizesOf } from './support/index-size.mjs';
import { largePalace, someQuestions } from './support/large-palace.mjs';
import { newMachine, ROOT, removeFolder, runNode, runProgram } from './support/machine.mjs';
import { runBench } from './support/main.mjs';
import { parallelFinds } from './support/parallel-finds.mjs';
import { palaceVectors, scanFloats, vec0Scans } from './support/scans.mjs';
import { searchTimes } from './support/search-times.mjs';

/** Targets: milliseconds at the median by number of drawers, and the least share of the exact top 10. */
const MOST_MS = { 100000: 60, 500000: 120 };
const MOST_COMMAND_MS = { 100000: 250 };
const LEAST_RECALL = 0.98;
/** Throughput of questions at the same time, as a multiple of that of one after the other, by number of drawers. */
const LEAST_PARALLEL = { 100000: 1.6 };
/** Questions at the same time. */
const PARALLEL = 20;

const FULL = {
  embedded: 10_000,
  questions: 64,
  rounds: 3,
  scans: 20,
  recall: 120,
  runs: 11,
  coldRuns: 7,
  parallel: 9,
};
const QUICK = {
  embedded: 500,
  questions: 8,
  rounds: 1,
  scans: 3,
  recall: 100,
  runs: 2,
  coldRuns: 2,
  parallel: 2,
};
/** Neighbours of a search, and bit candidates of vec0: fewer than a search compares, since it slows with their number. */
const NEIGHBOURS = 50;
const CODE_CANDIDATES = 400;

const FILTERS = [
  ['one wing of ten', { wing: 'wing_3' }],
  ['one session of 25 drawers', { session: 'ses_12' }],
  ['one month of 23', { since: '2025-03-01', until: '2025-03-31' }],
  ['since a day that 95 % pass', { since: '2024-02-05' }],
];

function percentiles(name, times, { below, note = '' } = {}) {
  const middle = quantile(times, 0.5);
  const more = note === '' ? '' : `; ${note}`;
  return row(name, `${middle.toFixed(1)} ms`, {
    ...(below === undefined ? {} : { target: `≤ ${below} ms`, met: middle <= below }),
    note: `p95 ${quantile(times, 0.95).toFixed(1)} ms${more}`,
  });
}

/** Searches in this process, by both embedders, and with filters. */
async function warmRows({ palace, questions, rounds, below }) {
  const rows = [];
  // A second inference thread continues to spin after the question and slows the search itself.
  const lasting = await startEmbedder({ threads: 1 });
  try {
    const { whole, parts, found } = await searchTimes({ palace, embedder: lasting, questions, rounds });
    if (found !== questions.length) throw new Error(`${questions.length - found} questions found nothing`);
    rows.push(percentiles('search(), lasting process', whole, { below }));
    for (const [name, times] of parts) rows.push(percentiles(`  ${name}`, times));
    for (const [name, filter] of FILTERS) {
      const filtered = await searchTimes({ palace, embedder: lasting, questions, rounds: 1, filter });
      const note = `${filtered.found} of ${questions.length} questions with hits`;
      rows.push(percentiles(`  only ${name}`, filtered.whole, { note }));
    }
  } finally {
    await lasting.close();
  }
  const single = await loadEmbedder();
  const { whole, parts } = await searchTimes({ palace, embedder: single, questions, rounds: 1 });
  await single.close();
  rows.push(percentiles('search(), embedder of one command', whole));
  rows.push(percentiles('  embedding the question', parts.get('embedding the question')));
  return rows;
}

/** The vector part against scans over all vectors of the palace: time and recall. */
async function vectorRows({ palace, file, scratch, plan }) {
  const embedder = await loadEmbedder();
  const queries = await embedder.embed(someQuestions(plan.recall), 'query');
  await embedder.close();
  const vectors = palaceVectors(file);
  const vec0 = vec0Scans(scratch, vectors);
  const scans = [
    ['nearest 50, packed codes', (query) => palace.vectors.nearest(query, NEIGHBOURS)],
    ['nearest 50, float32 in JavaScript', (query) => scanFloats(vectors, query, NEIGHBOURS)],
    ['nearest 50, vec0 float32', (query) => vec0.floats(query, NEIGHBOURS)],
    [`nearest ${CODE_CANDIDATES} by bits, vec0`, (query) => vec0.bits(query, CODE_CANDIDATES)],
  ];
  const times = scans.map(() => []);
  for (let at = -1; at < plan.scans; at += 1) {
    const query = queries[Math.max(0, at)];
    for (const [index, [, scan]] of scans.entries()) {
      const start = performance.now();
      scan(query);
      if (at >= 0) times[index].push(performance.now() - start);
    }
  }
  vec0.close();
  const shares = queries.map((query) => {
    const wanted = new Set(scanFloats(vectors, query, 10).map(({ id }) => id));
    return palace.vectors.nearest(query, 10).filter(({ vectorId }) => wanted.has(vectorId)).length / 10;
  });
  const recall = shares.reduce((sum, share) => sum + share, 0) / shares.length;
  const ratio = (index) => `${(median(times[index]) / median(times[0])).toFixed(1)} × the packed codes`;
  return [
    ...scans.map(([name], index) =>
      percentiles(name, times[index], index === 0 ? {} : { note: ratio(index) }),
    ),
    row('recall of the exact top 10', recall.toFixed(4), {
      target: `≥ ${LEAST_RECALL}`,
      met: recall >= LEAST_RECALL,
      note: `${queries.length} questions, the worst ${Math.min(...shares).toFixed(1)}`,
    }),
  ];
}

/** Removes a file from the page cache, for which it must be closed everywhere; false where that is impossible. */
function forget(file) {
  const dropped = spawnSync('dd', [`if=${file}`, 'iflag=nocache', 'count=0', 'status=none']);
  return process.platform === 'linux' && dropped.status === 0;
}

/** Whole processes, with the palace in the page cache and without. */
async function processRows({ machine, large, questions, plan, below }) {
  const script = join(ROOT, 'bench', 'support', 'first-search.mjs');
  const command = (question) =>
    runProgram(machine, 'mempalace', ['search', question, '--palace', large.folder]);
  const first = async (question) =>
    JSON.parse((await runNode(machine, [script, large.folder, question])).stdout).searchMs;
  const rows = [];
  for (const cold of [false, true]) {
    const [searches, commands] = [[], []];
    const runs = cold ? plan.coldRuns : plan.runs;
    if (!cold) await command(questions[0]);
    for (let run = 0; run < runs; run += 1) {
      const question = questions[run % questions.length];
      if (cold && !forget(large.file)) return rows;
      searches.push(await first(question));
      if (cold) forget(large.file);
      const { seconds, stdout } = await command(question);
      if (stdout.trim() === '') throw new Error(`nothing found for: ${question}`);
      commands.push(seconds);
    }
    const state = cold ? 'palace not in memory' : 'palace in memory';
    rows.push(percentiles(`first search() of a process, ${state}`, searches));
    const bound = cold || below === undefined ? {} : { below };
    rows.push(timeRow(`mempalace search, ${state}`, commands, { unit: 'ms', ...bound }));
  }
  return rows;
}

/** The reader threads of a broker. */
async function threadRows({ folder, rounds, least }) {
  const { single, parallel } = await parallelFinds({ folder, questions: someQuestions(PARALLEL), rounds });
  const gain = median(single.map((time, round) => time / parallel[round]));
  const bound = least === undefined ? {} : { target: `≥ ${least} ×`, met: gain >= least };
  const note = `${median(single).toFixed(0)} and ${median(parallel).toFixed(0)} ms for all`;
  return [
    row(`${PARALLEL} questions at the same time, reader threads`, `${gain.toFixed(2)} ×`, { ...bound, note }),
  ];
}

function sizeRows(file, drawers) {
  const sizes = sizesOf(file);
  const all = [...sizes.values()].reduce((sum, bytes) => sum + bytes, 0);
  return [
    row('bytes a drawer', (all / drawers).toFixed(0), { note: `file of ${(all / 1e6).toFixed(0)} MB` }),
    ...[...sizes].map(([name, bytes]) => row(`  ${name}`, (bytes / drawers).toFixed(0))),
  ];
}

async function benchSize({ machine, folder, drawers, plan, quick, note }) {
  const large = await largePalace(machine, { folder, drawers, embedded: plan.embedded, note });
  const questions = someQuestions(plan.questions);
  const bound = (targets) => (quick ? undefined : targets[drawers]);
  const rows = [row(`${drawers.toLocaleString('en')} drawers`, '', { note: load() })];
  rows.push(...(await processRows({ machine, large, questions, plan, below: bound(MOST_COMMAND_MS) })));
  note('processes done');
  const palace = Palace.read(large.folder);
  try {
    const { rounds } = plan;
    rows.push(...(await warmRows({ palace, questions, rounds, below: bound(MOST_MS) })));
    note('searches done');
    const scratch = join(machine.folder, `vec0-${drawers}.sqlite3`);
    rows.push(...(await vectorRows({ palace, file: large.file, scratch, plan })));
    removeFolder(scratch);
  } finally {
    palace.close();
  }
  rows.push(
    ...(await threadRows({ folder: large.folder, rounds: plan.parallel, least: bound(LEAST_PARALLEL) })),
  );
  rows.push(...sizeRows(large.file, drawers));
  note(`${drawers} drawers done, load ${loadavg()[0].toFixed(1)}`);
  return rows;
}

const load = () =>
  `load ${loadavg()[0].toFixed(1)} on ${availableParallelism()} × ${cpus()[0]?.model ?? 'CPU'}`;

/**
 * @param {{ quick: boolean, note: (text: string) => void, sizes?: number[], keep?: string }} options `keep`: a
 *   folder in which palaces are kept and reused; otherwise each is removed after its measurement
 */
export async function benchSearch({ quick, note, sizes = quick ? [5000] : [100_000], keep }) {
  const machine = newMachine();
  const folder = keep ?? join(machine.folder, 'palaces');
  const rows = [];
  for (const drawers of sizes) {
    const some = await benchSize({ machine, folder, drawers, plan: quick ? QUICK : FULL, quick, note });
    rows.push(...some);
    if (sizes.length > 1) note(renderTable(some));
    if (keep === undefined) removeFolder(join(folder, `palace-${drawers}`));
  }
  machine.remove();
  return rows;
}

const HELP = `Usage: node bench/search.mjs [options]

  --sizes <list>   numbers of drawers, default 10000,100000,500000 (which takes 3 GB of temporary space)
  --keep <dir>     keep the palaces there; the next run with it takes them
  --quick          5,000 drawers and few questions: to see that it works; only recall has a target
  --json           print the rows as JSON
  --help           print this help

Exit code 0: every target met; 1: one was missed; 2: the bench could not run.
`;

async function main() {
  const text = { type: 'string' };
  const flag = { type: 'boolean', default: false };
  const { values } = parseArgs({ options: { sizes: text, keep: text, quick: flag, json: flag, help: flag } });
  if (values.help) {
    process.stdout.write(HELP);
    return;
  }
  const { quick, json } = values;
  const sizes = values.sizes?.split(',').map(Number) ?? (quick ? [5000] : [10_000, 100_000, 500_000]);
  if (!sizes.every((size) => Number.isInteger(size) && size >= 1000))
    throw new Error('--sizes: from 1000 on');
  const keep = values.keep && resolve(values.keep);
  const rows = await benchSearch({
    quick,
    sizes,
    ...(keep ? { keep } : {}),
    note: (line) => process.stderr.write(`${line}\n`),
  });
  process.stdout.write(json ? `${JSON.stringify({ rows }, null, 2)}\n` : `${renderTable(rows)}\n`);
  if (rows.some((each) => each.met === false)) process.exitCode = 1;
}

if (process.argv[1] !== undefined && resolve(process.argv[1]) === fileURLToPath(import.meta.url)) {
  await runBench(main);
}
