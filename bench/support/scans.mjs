/** The baseline of a palace's vector index: scans over all of its vectors. */
import Database from 'better-sqlite3';
import * as sqliteVec from 'sqlite-vec';

const MMAP_BYTES = 4 * 1024 ** 3;

/** All vectors of a palace, one after the other, and their ids. */
export function palaceVectors(file) {
  const db = new Database(file, { readonly: true });
  const { rows, dimension } = db
    .prepare('SELECT count(*) AS rows, max(length(embedding)) / 4 AS dimension FROM embeddings')
    .get();
  const data = new Float32Array(rows * dimension);
  const ids = new Uint32Array(rows);
  let row = 0;
  const all = db.prepare('SELECT vector_id AS id, embedding FROM embeddings ORDER BY vector_id');
  for (const { id, embedding } of all.iterate()) {
    data.set(new Float32Array(new Uint8Array(embedding).buffer), row * dimension);
    ids[row] = id;
    row += 1;
  }
  db.close();
  return { data, ids, rows, dimension };
}

const blobOf = (vector) => Buffer.from(vector.buffer, vector.byteOffset, vector.byteLength);

/** The greatest dot products, greatest first, by a loop over one array. */
export function scanFloats({ data, ids, rows, dimension }, query, count) {
  let best = [];
  let border = -Infinity;
  const keep = () => {
    best.sort((a, b) => b.score - a.score);
    best = best.slice(0, count);
    border = best[count - 1]?.score ?? -Infinity;
  };
  for (let row = 0; row < rows; row += 1) {
    let [a, b, c, d] = [0, 0, 0, 0];
    const start = row * dimension;
    for (let i = 0; i < dimension; i += 4) {
      a += data[start + i] * query[i];
      b += data[start + i + 1] * query[i + 1];
      c += data[start + i + 2] * query[i + 2];
      d += data[start + i + 3] * query[i + 3];
    }
    const score = a + b + c + d;
    if (score <= border) continue;
    best.push({ id: ids[row], score });
    if (best.length >= 4 * count) keep();
  }
  keep();
  return best;
}

/**
 * Writes the vectors into vec0 tables of a new file, as numbers and as bits.
 *
 * @returns {{ floats: Function, bits: Function, close: () => void }} scans that return the nearest rows of a query
 */
export function vec0Scans(file, { data, ids, rows, dimension }) {
  const made = new Database(file);
  sqliteVec.load(made);
  made.pragma('journal_mode = OFF');
  made.pragma('synchronous = OFF');
  made.exec(`
    CREATE VIRTUAL TABLE floats USING vec0(embedding float[${dimension}]);
    CREATE VIRTUAL TABLE bits USING vec0(embedding bit[${dimension}]);`);
  const [floats, bits] = [
    'INSERT INTO floats(rowid, embedding) VALUES (?, ?)',
    'INSERT INTO bits(rowid, embedding) VALUES (?, vec_quantize_binary(?))',
  ].map((sql) => made.prepare(sql));
  made.transaction(() => {
    for (let row = 0; row < rows; row += 1) {
      const embedding = blobOf(data.subarray(row * dimension, (row + 1) * dimension));
      floats.run(BigInt(ids[row]), embedding);
      bits.run(BigInt(ids[row]), embedding);
    }
  })();
  made.close();

  const db = new Database(file, { readonly: true });
  sqliteVec.load(db);
  db.pragma(`mmap_size = ${MMAP_BYTES}`);
  const [nearest, nearestBits] = [
    'SELECT rowid FROM floats WHERE embedding MATCH ? AND k = ?',
    'SELECT rowid FROM bits WHERE embedding MATCH vec_quantize_binary(?) AND k = ?',
  ].map((sql) => db.prepare(sql));
  return {
    floats: (query, count) => nearest.all(blobOf(query), count),
    bits: (query, count) => nearestBits.all(blobOf(query), count),
    close: () => db.close(),
  };
}
