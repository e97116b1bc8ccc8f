import type { Sql } from './sql.js';

/** A vector and its distance from a query; the similarity is the cosine. */
export interface Neighbour {
  vectorId: number;
  cosine: number;
}

/**
 * Component of the vector that overwrites a freed slot: so far from every unit vector that a freed slot is
 * never among the nearest, and nothing of the erased text is left in the file.
 */
const FAR_AWAY = 1_000;

/** A rebuild pays when this share of the slots, and at least this many, are free. */
const REBUILD_SHARE = 0.25;
const REBUILD_SLOTS = 1_024;

/**
 * The vectors of the palace, one for each distinct embedded text, unit length, found again by the hash of
 * that text. sqlite-vec neither reuses the place of a deleted vector nor gives it back, so a vector that no
 * drawer needs is not deleted: its slot is overwritten and taken by the next new vector.
 */
export class Vectors {
  readonly #sql: Sql;
  readonly #dimension: number;

  constructor(sql: Sql, dimension: number) {
    this.#sql = sql;
    this.#dimension = dimension;
  }

  /** True when a text with this hash was embedded before, filed or not. */
  has(hash: Buffer): boolean {
    const filed = this.#sql.prepare('SELECT 1 FROM vectors WHERE text_hash = ?').get(hash);
    return filed !== undefined || this.#unfiled(hash) !== undefined;
  }

  /** Keeps vectors whose drawers are not filed yet, in one transaction, so that a killed run need not embed again. */
  keep(vectors: readonly { hash: Buffer; embedding: Float32Array }[]): void {
    const insert = this.#sql.prepare(
      'INSERT INTO unfiled_vectors(text_hash, embedding) VALUES (?, ?) ON CONFLICT DO UPDATE SET embedding = excluded.embedding',
    );
    this.#sql.write(() => {
      for (const { hash, embedding } of vectors) insert.run(hash, blobOf(this.#checked(embedding)));
    });
  }

  /** Forgets vectors that were never filed: left by a run that was killed and whose sources changed since. */
  dropUnfiled(): void {
    this.#sql.prepare('DELETE FROM unfiled_vectors').run();
  }

  /**
   * The slot of a text's vector, moved there from the unfiled ones when it is new. Must run inside the
   * transaction that files the drawer.
   *
   * @throws Error when the text was never embedded
   */
  file(hash: Buffer, refresh = false): number {
    const filed = this.#sql.prepare<{ id: number }>('SELECT id FROM vectors WHERE text_hash = ?').get(hash);
    if (filed !== undefined && !refresh) return filed.id;
    const embedding = this.#unfiled(hash);
    if (filed !== undefined) {
      if (embedding !== undefined) this.#overwrite(filed.id, embedding);
      return filed.id;
    }
    if (embedding === undefined) throw new Error(`no vector was made for ${hash.toString('hex')}`);
    return this.#take(hash, embedding);
  }

  /** Removes unfiled vectors that have been filed. Same transaction as `file`. */
  settle(hashes: Iterable<Buffer>): void {
    const remove = this.#sql.prepare('DELETE FROM unfiled_vectors WHERE text_hash = ?');
    for (const hash of hashes) remove.run(hash);
  }

  /**
   * Frees the slots that no drawer needs any more. Done at the end of a run, not with each source: a text
   * that moves from one source to another must find its vector.
   */
  releaseUnused(): void {
    const unused = this.#sql
      .prepare<{ id: number }>(
        `SELECT id FROM vectors WHERE text_hash IS NOT NULL
         AND NOT EXISTS (SELECT 1 FROM drawers WHERE vector_id = vectors.id)`,
      )
      .all();
    if (unused.length === 0) return;
    const free = this.#sql.prepare('UPDATE vectors SET text_hash = NULL WHERE id = ?');
    const erased = blobOf(new Float32Array(this.#dimension).fill(FAR_AWAY));
    this.#sql.write(() => {
      for (const { id } of unused) {
        free.run(id);
        this.#overwrite(id, erased);
      }
    });
  }

  /**
   * The nearest vectors by exact scan, nearest first.
   *
   * @param query unit vector of the palace's dimension
   * @param among restricts the scan to vectors of drawers of this wing and room
   */
  nearest(query: Float32Array, count: number, among: { wing?: string; room?: string } = {}): Neighbour[] {
    const { wing = null, room = null } = among;
    const restricted = wing !== null || room !== null;
    // Unit vectors: squared L2 distance is 2 - 2·cosine, and L2 scans a fifth faster here.
    const rows = this.#sql
      .prepare<{ rowid: number; distance: number }>(
        `SELECT rowid, distance FROM vector_index WHERE embedding MATCH @query AND k = @count
         ${
           restricted
             ? `AND rowid IN (
                  SELECT d.vector_id FROM sources s JOIN drawers d ON d.source_id = s.id
                  WHERE (@wing IS NULL OR s.wing = @wing) AND (@room IS NULL OR s.room = @room))`
             : ''
         }`,
      )
      .all({ query: blobOf(query), count, ...(restricted ? { wing, room } : {}) });
    return rows
      .map((row) => ({ vectorId: row.rowid, cosine: 1 - row.distance ** 2 / 2 }))
      .filter((row) => row.cosine > -1.01);
  }

  /** Cosine of the query with each of these vectors. */
  cosines(query: Float32Array, ids: Iterable<number>): Map<number, number> {
    const read = this.#sql.prepare<{ embedding: Buffer }>(
      'SELECT embedding FROM vector_index WHERE rowid = ?',
    );
    const result = new Map<number, number>();
    for (const id of ids) {
      const row = read.get(id);
      if (row !== undefined) result.set(id, dot(query, floatsOf(row.embedding)));
    }
    return result;
  }

  /**
   * Gives the space of freed slots back when they have become many: copies the living vectors out, makes
   * the index anew and copies them in, in one transaction. Ids stay.
   *
   * @returns whether the index was rebuilt
   */
  compact(force = false): boolean {
    const count = this.#sql.prepare<{ free: number; total: number }>(
      'SELECT count(*) - count(text_hash) AS free, count(*) AS total FROM vectors',
    );
    const { free, total } = count.get() ?? { free: 0, total: 0 };
    if (!force && (free < REBUILD_SLOTS || free < total * REBUILD_SHARE)) return false;
    const definition = this.#sql
      .prepare<{ sql: string }>("SELECT sql FROM sqlite_master WHERE name = 'vector_index'")
      .get();
    if (definition === undefined) throw new Error('the palace has no vector index');
    this.#sql.write(() => {
      this.#sql.exec(`
          CREATE TABLE living_vectors AS
            SELECT i.rowid AS id, i.embedding FROM vectors v JOIN vector_index i ON i.rowid = v.id
            WHERE v.text_hash IS NOT NULL ORDER BY v.id;
          DROP TABLE vector_index;
          ${definition.sql};
          INSERT INTO vector_index(rowid, embedding) SELECT id, embedding FROM living_vectors;
          DROP TABLE living_vectors;
          DELETE FROM vectors WHERE text_hash IS NULL;
        `);
    });
    this.#sql.reset();
    return true;
  }

  #unfiled(hash: Buffer): Buffer | undefined {
    return this.#sql
      .prepare<{ embedding: Buffer }>('SELECT embedding FROM unfiled_vectors WHERE text_hash = ?')
      .get(hash)?.embedding;
  }

  #take(hash: Buffer, embedding: Buffer): number {
    const free = this.#sql
      .prepare<{ id: number }>('SELECT id FROM vectors WHERE text_hash IS NULL ORDER BY id LIMIT 1')
      .get();
    if (free !== undefined) {
      this.#sql.prepare('UPDATE vectors SET text_hash = ? WHERE id = ?').run(hash, free.id);
      this.#overwrite(free.id, embedding);
      return free.id;
    }
    const id = Number(
      this.#sql.prepare('INSERT INTO vectors(text_hash) VALUES (?)').run(hash).lastInsertRowid,
    );
    // vec0 takes integers from JavaScript only as BigInt.
    this.#sql.prepare('INSERT INTO vector_index(rowid, embedding) VALUES (?, ?)').run(BigInt(id), embedding);
    return id;
  }

  #overwrite(id: number, embedding: Buffer): void {
    this.#sql.prepare('UPDATE vector_index SET embedding = ? WHERE rowid = ?').run(embedding, BigInt(id));
  }

  /** sqlite-vec accepts NaN silently, and a wrong norm would falsify every distance. */
  #checked(embedding: Float32Array): Float32Array {
    const norm = Math.sqrt(dot(embedding, embedding));
    if (embedding.length !== this.#dimension || !(Math.abs(norm - 1) < 1e-3)) {
      throw new Error(`a vector of ${embedding.length} dimensions and norm ${norm} cannot be filed`);
    }
    return embedding;
  }
}

function blobOf(vector: Float32Array): Buffer {
  return Buffer.from(vector.buffer, vector.byteOffset, vector.byteLength);
}

function floatsOf(blob: Buffer): Float32Array {
  return new Float32Array(blob.buffer.slice(blob.byteOffset, blob.byteOffset + blob.byteLength));
}

function dot(a: Float32Array, b: Float32Array): number {
  let sum = 0;
  for (let i = 0; i < a.length; i += 1) sum += (a[i] ?? 0) * (b[i] ?? 0);
  return sum;
}
