/**
 * Which page size, chunk size and metric make the exact scan of sqlite-vec quickest on real vectors: the
 * vectors of the large palace in a file of their own for each layout, read as the palace is.
 */
import { statSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import * as sqliteVec from 'sqlite-vec';
import { loadEmbedder } from '../dist/miner/embed/embedder.js';
import { quantile, row } from './support/figures.mjs';
import { largePalace, someQuestions } from './support/large-palace.mjs';
import { removeFolder, temporaryFolder } from './support/machine.mjs';
import { blobOf, palaceVectors } from './support/scans.mjs';

const PAGE_SIZES = [4096, 8192, 16_384];
const CHUNK_SIZES = [64, 128, 256, 1024];
const METRICS = ['l2', 'cosine'];
const NEIGHBOURS = 50;
const MMAP_BYTES = 4 * 1024 ** 3;
/** Layouts are measured in turns, so that a busy moment does not fall on one of them. */
const TURNS = 3;

function make(file, { data, rows, dimension }, { page, chunk, metric }) {
  const db = new Database(file);
  sqliteVec.load(db);
  db.pragma(`page_size = ${page}`);
  db.pragma('journal_mode = OFF');
  db.pragma('synchronous = OFF');
  db.exec(
    `CREATE VIRTUAL TABLE vector_index USING vec0(
       embedding float[${dimension}] distance_metric=${metric}, chunk_size=${chunk})`,
  );
  const insert = db.prepare('INSERT INTO vector_index(rowid, embedding) VALUES (?, ?)');
  db.transaction(() => {
    for (let index = 0; index < rows; index += 1) {
      insert.run(BigInt(index + 1), blobOf(data.subarray(index * dimension, (index + 1) * dimension)));
    }
  })();
  db.close();
}

function measure(file, queries, times) {
  const db = new Database(file, { readonly: true });
  sqliteVec.load(db);
  db.pragma(`mmap_size = ${MMAP_BYTES}`);
  const nearest = db.prepare('SELECT rowid, distance FROM vector_index WHERE embedding MATCH ? AND k = ?');
  for (const query of queries.slice(0, 3)) nearest.all(blobOf(query), NEIGHBOURS);
  for (const query of queries) {
    const start = performance.now();
    nearest.all(blobOf(query), NEIGHBOURS);
    times.push(performance.now() - start);
  }
  db.close();
}

/** @param {{ quick: boolean, note: (text: string) => void }} options */
export async function benchLayouts({ quick, note }) {
  const large = await largePalace({ quick, note });
  const palace = new Database(join(large.palace, 'palace.sqlite3'), { readonly: true });
  sqliteVec.load(palace);
  const vectors = palaceVectors(palace);
  palace.close();
  const embedder = await loadEmbedder();
  const queries = (await embedder.embed(someQuestions(), 'query')).slice(0, 20);
  await embedder.close();

  const rows = [];
  for (const page of PAGE_SIZES) {
    const folder = temporaryFolder();
    const layouts = CHUNK_SIZES.flatMap((chunk) =>
      METRICS.map((metric) => ({ page, chunk, metric, times: [] })),
    );
    const fileOf = ({ chunk, metric }) => join(folder, `${chunk}-${metric}.sqlite3`);
    for (const layout of layouts) make(fileOf(layout), vectors, layout);
    for (let turn = 0; turn < TURNS; turn += 1) {
      for (const layout of layouts) measure(fileOf(layout), queries, layout.times);
    }
    for (const layout of layouts) {
      const name = `vectors, page ${page}, chunk ${layout.chunk}, ${layout.metric}`;
      const megabytes = (statSync(fileOf(layout)).size / 1e6).toFixed(0);
      const [least, middle] = [0.05, 0.5].map((share) => quantile(layout.times, share).toFixed(1));
      rows.push(row(name, `${middle} ms`, { note: `p5 ${least} ms; ${megabytes} MB` }));
    }
    removeFolder(folder);
    note(`page size ${page} done`);
  }
  return rows;
}
