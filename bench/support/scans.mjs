/** Plain exact scans over all vectors of a palace. */
import Database from 'better-sqlite3';
import * as sqliteVec from 'sqlite-vec';

/** All vectors of an open palace, one after the other. */
export function palaceVectors(db) {
  const rows = db.prepare('SELECT count(*) AS n FROM vector_index').get().n;
  const dimension = db.prepare('SELECT length(embedding) / 4 AS n FROM vector_index LIMIT 1').get().n;
  const data = new Float32Array(rows * dimension);
  let at = 0;
  for (const { embedding } of db.prepare('SELECT embedding FROM vector_index').iterate()) {
    data.set(new Float32Array(new Uint8Array(embedding).buffer), at);
    at += dimension;
  }
  return { data, rows, dimension };
}

export const blobOf = (vector) => Buffer.from(vector.buffer, vector.byteOffset, vector.byteLength);

/** The rows with the greatest dot product, by a loop over one array. */
export function scanFloats({ data, rows, dimension }, count) {
  const scores = new Float32Array(rows);
  return (query) => {
    for (let row = 0; row < rows; row += 1) {
      let [a, b, c, d] = [0, 0, 0, 0];
      const start = row * dimension;
      for (let i = 0; i < dimension; i += 4) {
        a += data[start + i] * query[i];
        b += data[start + i + 1] * query[i + 1];
        c += data[start + i + 2] * query[i + 2];
        d += data[start + i + 3] * query[i + 3];
      }
      scores[row] = a + b + c + d;
    }
    const border = scores.slice().sort()[rows - Math.min(count, rows)];
    const best = [];
    for (let row = 0; row < rows; row += 1) if (scores[row] >= border) best.push(row);
    return best.sort((a, b) => scores[b] - scores[a]).slice(0, count);
  };
}

/** The same by sqlite-vec's distance function over a BLOB column in memory. */
export function scanBlobs({ data, rows, dimension }, count) {
  const db = new Database(':memory:');
  sqliteVec.load(db);
  db.exec('CREATE TABLE plain (id INTEGER PRIMARY KEY, embedding BLOB NOT NULL)');
  const insert = db.prepare('INSERT INTO plain VALUES (?, ?)');
  db.transaction(() => {
    for (let row = 0; row < rows; row += 1) {
      insert.run(row, blobOf(data.subarray(row * dimension, (row + 1) * dimension)));
    }
  })();
  const nearest = db.prepare('SELECT id FROM plain ORDER BY vec_distance_cosine(embedding, ?) LIMIT ?');
  return { scan: (query) => nearest.all(blobOf(query), count), close: () => db.close() };
}
