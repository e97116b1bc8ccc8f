/**
 * Search in a palace of 100,000 drawers: whole `search()` and its parts, warm, in this process; plain scans of
 * the same vectors as a baseline; and the whole command, in that palace and in one of the seed's size.
 */
import { join } from 'node:path';
import Database from 'better-sqlite3';
import * as sqliteVec from 'sqlite-vec';
import { startEmbedder } from '../dist/miner/embed/embedder.js';
import { search } from '../dist/search/index.js';
import { Palace } from '../dist/store/index.js';
import { generateOpencode } from './generate-opencode.mjs';
import { median, quantile, row, timeRow } from './support/figures.mjs';
import { largePalace, someQuestions } from './support/large-palace.mjs';
import { newMachine, runJson, runProgram } from './support/machine.mjs';
import { palaceVectors, scanBlobs, scanFloats } from './support/scans.mjs';

const MOST_MS = 60;
const MOST_VECTOR_MS = 50;
const MOST_COMMAND_MS = 250;
const NEIGHBOURS = 50;
const ROUNDS = 3;

/** The parts of a search: object, method, and the name under which its time is counted. */
const parts = (palace, embedder) => [
  [embedder, 'embed', 'embedding the question'],
  [palace.vectors, 'nearest', 'vector part'],
  [palace.vectors, 'cosines', 'missing cosines'],
  [palace.lexical, 'terms', 'lexical part'],
  [palace.lexical, 'size', 'lexical part'],
  [palace.lexical, 'candidates', 'lexical part'],
  [palace.lexical, 'scores', 'BM25 of the union'],
  [palace, 'drawersByVector', 'reading drawers'],
  [palace, 'drawersById', 'reading drawers'],
];

/** Makes the methods add the milliseconds they take to `spent`, per name. */
function instrument(list, spent) {
  for (const [object, method, name] of list) {
    const original = object[method].bind(object);
    object[method] = (...args) => {
      const start = performance.now();
      const count = () => spent.set(name, (spent.get(name) ?? 0) + performance.now() - start);
      const result = original(...args);
      if (!(result instanceof Promise)) {
        count();
        return result;
      }
      return result.finally(count);
    };
  }
}

const percentiles = (name, times, below, note = '') =>
  row(name, `${quantile(times, 0.5).toFixed(1)} ms`, {
    ...(below === undefined ? {} : { target: `< ${below} ms`, met: quantile(times, 0.5) <= below }),
    note: `p95 ${quantile(times, 0.95).toFixed(1)} ms${note}`,
  });

/** Whole searches with the time of each part, and the vectors of the questions. */
async function warmSearches(folder, asked, rounds) {
  const palace = Palace.read(folder);
  // As a process that answers many questions has it: the weights unpacked once.
  const embedder = await startEmbedder();
  try {
    const vectors = await embedder.embed(asked, 'query');
    const spent = new Map();
    instrument(parts(palace, embedder), spent);
    const [whole, each] = [[], new Map()];
    for (let round = -1; round < rounds; round += 1) {
      for (const question of asked) {
        spent.clear();
        const start = performance.now();
        const hits = await search({ palace, embedder, question, limit: 5 });
        const milliseconds = performance.now() - start;
        if (hits.length === 0) throw new Error(`nothing found for: ${question}`);
        if (round < 0) continue;
        whole.push(milliseconds);
        for (const [name, time] of spent) each.set(name, [...(each.get(name) ?? []), time]);
      }
    }
    return { vectors, whole, each };
  } finally {
    await embedder.close();
    palace.close();
  }
}

/** The scans that a vector index has to beat, one after the other for each question. */
function plainScans(folder, queries) {
  const db = new Database(join(folder, 'palace.sqlite3'), { readonly: true });
  sqliteVec.load(db);
  const vectors = palaceVectors(db);
  db.close();
  const floats = scanFloats(vectors, NEIGHBOURS);
  const blobs = scanBlobs(vectors, NEIGHBOURS);
  const times = { floats: [], blobs: [] };
  const timed = (scan, query, list) => {
    const start = performance.now();
    scan(query);
    list.push(performance.now() - start);
  };
  for (const query of queries) {
    timed(floats, query, times.floats);
    timed(blobs.scan, query, times.blobs);
  }
  blobs.close();
  return times;
}

async function commands(machine, palace, asked, runs) {
  const seconds = [];
  for (let run = -1; run < runs; run += 1) {
    const question = asked[(run + 1) % asked.length];
    const done = await runProgram(machine, 'mempalace', ['search', question, '--palace', palace]);
    if (done.stdout.trim() === '') throw new Error(`nothing found for: ${question}`);
    if (run >= 0) seconds.push(done.seconds);
  }
  return seconds;
}

/** @param {{ quick: boolean, note: (text: string) => void }} options */
export async function benchSearch({ quick, note }) {
  const asked = someQuestions();
  const large = await largePalace({ quick, note });
  const runs = quick ? 2 : 7;
  const inLarge = await commands(large.machine, large.palace, asked, runs);
  const seed = newMachine();
  const database = join(seed.folder, 'opencode.db');
  generateOpencode({ out: database, ...(quick ? { scale: 0.1 } : {}) });
  const filed = await runJson(seed, 'mempalace-session', ['--db', database]);
  const inSeed = await commands(seed, seed.palace, asked, runs);
  seed.remove();
  note('whole commands done');

  const { vectors, whole, each } = await warmSearches(large.palace, asked, quick ? 1 : ROUNDS);
  const scans = plainScans(large.palace, vectors.slice(0, quick ? 5 : 20));
  const vectorPart = each.get('vector part') ?? [];
  const commandBound = quick ? {} : { below: MOST_COMMAND_MS };
  const size = `${large.drawers.toLocaleString('en')} drawers`;
  return [
    percentiles(`search, ${size}, warm`, whole, MOST_MS, `; palace of ${(large.bytes / 1e6).toFixed(0)} MB`),
    ...[...each].map(([name, times]) =>
      percentiles(`  ${name}`, times, name === 'vector part' ? MOST_VECTOR_MS : undefined),
    ),
    percentiles(
      '  plain scan of float32 in JavaScript',
      scans.floats,
      undefined,
      share(vectorPart, scans.floats),
    ),
    percentiles('  plain scan of a BLOB column', scans.blobs, undefined, share(vectorPart, scans.blobs)),
    timeRow(`mempalace search, ${size}`, inLarge, { unit: 'ms', ...commandBound }),
    timeRow(`mempalace search, ${filed.json.drawers_total} drawers`, inSeed, { unit: 'ms' }),
  ];
}

const share = (ours, theirs) =>
  `; vector part takes ${((100 * median(ours)) / median(theirs)).toFixed(0)} % of it`;
