import { ModelChanged, type ModelIdentity, sameModel, storedModel } from '../db/model.js';
import type { Sql } from '../db/sql.js';
import { Codes, floatsOf } from './codes.js';

export interface Neighbour {
  vectorId: number;
  cosine: number;
}

/**
 * Number of vectors to compare exactly: a multiple of the wanted number, a minimum, and in a large palace a share of
 * all, as the order by codes is rough. (Recall of the exact top 10, with vectors derived from 10,000 real ones: 0.986 at
 * 100,000 vectors with 1,600 candidates, 0.81 with 400; at 500,000 vectors 0.94 with 1,600, 0.987 with 3,200.)
 */
const CANDIDATES_EACH = 8;
const CANDIDATES_AT_LEAST = 1_600;
const CANDIDATES_SHARE = 1 / 150;

/** The last vectors move into free slots when at least this share, and this number, of the slots are free. */
const COMPACT_SHARE = 0.25;
const COMPACT_SLOTS = 1_024;

/** Whether the vector `e` has a wrong dimension or norm; SQLite turns NaN into NULL. */
const NORM_TOLERANCE = 1e-3;
export const BROKEN = `CASE WHEN length(e.embedding) IS NOT @bytes THEN 1
  ELSE coalesce(abs(vec_distance_L2(e.embedding, @zero) - 1) > ${NORM_TOLERANCE}, 1) END`;

/**
 * The vectors of the palace: one unit vector per distinct embedded text, found by the hash of that text. A new vector
 * takes a free slot, so that the packed codes have few holes.
 */
export class Vectors {
  readonly codes: Codes;

  /** @param dimension called each time: the model may change while the palace is open */
  constructor(
    private readonly sql: Sql,
    private readonly dimension: () => number,
  ) {
    this.codes = new Codes(sql);
  }

  /**
   * Checks that vectors of a model may be compared with the palace's vectors. To be called in the same transaction or
   * snapshot as the comparison, as another process may change the model.
   *
   * @throws ModelChanged
   */
  requireModel(model: ModelIdentity): void {
    const stored = storedModel(this.sql);
    if (!sameModel(stored, model)) throw new ModelChanged(stored);
  }

  /** Whether a text with this hash has been embedded, filed or not. */
  has(hash: Buffer): boolean {
    return (
      this.sql.has('SELECT 1 FROM vectors WHERE text_hash = ?', hash) || this.#unfiled(hash) !== undefined
    );
  }

  /**
   * Stores vectors whose drawers are not filed yet, in one transaction, so that the next run after a kill need not embed
   * them again. All vectors of the palace's model enter here.
   *
   * @throws ModelChanged, with nothing stored, when the palace has another model
   */
  keep(vectors: readonly { hash: Buffer; embedding: Float32Array }[], model: ModelIdentity): void {
    const insert = `INSERT INTO unfiled_vectors(text_hash, embedding) VALUES (?, ?)
      ON CONFLICT DO UPDATE SET embedding = excluded.embedding`;
    this.sql.write(() => {
      this.requireModel(model);
      for (const { hash, embedding } of vectors)
        this.sql.run(insert, hash, checkedBlob(embedding, model.dimension));
    });
  }

  /** Deletes vectors that were never filed: left by a killed run whose sources changed since. */
  dropUnfiled(): void {
    this.sql.run('DELETE FROM unfiled_vectors');
  }

  /**
   * Files the unfiled vector of a text if needed, and returns its slot. Must run inside the transaction that files the
   * drawer.
   *
   * @throws Error when the text was never embedded
   */
  file(hash: Buffer, refresh = false): number {
    const filed = this.sql.value<number>('SELECT id FROM vectors WHERE text_hash = ?', hash);
    if (filed !== undefined && !refresh) return filed;
    const embedding = this.#unfiled(hash);
    if (filed === undefined && embedding === undefined)
      throw new Error(`no vector was made for ${hash.toString('hex')}`);
    const slot = filed ?? this.#freeSlot(hash);
    if (embedding !== undefined) this.#overwrite(slot, embedding);
    return slot;
  }

  /** Removes unfiled vectors that have been filed. In the same transaction as `file`. */
  settle(hashes: Iterable<Buffer>): void {
    for (const hash of hashes) this.sql.run('DELETE FROM unfiled_vectors WHERE text_hash = ?', hash);
  }

  /**
   * Frees unused slots. Called at the end of a run, not for each source: a text that moves from one source to another
   * keeps its vector.
   */
  releaseUnused(): void {
    const unused = this.sql.values<number>(`SELECT id FROM vectors WHERE text_hash IS NOT NULL
         AND NOT EXISTS (SELECT 1 FROM drawers WHERE vector_id = vectors.id)`);
    if (unused.length === 0) return;
    this.sql.write(() => {
      const ids = JSON.stringify(unused);
      this.sql.run('UPDATE vectors SET text_hash = NULL WHERE id IN (SELECT value FROM json_each(?))', ids);
      for (const table of ['embeddings', 'next_embeddings'])
        this.sql.run(`DELETE FROM ${table} WHERE vector_id IN (SELECT value FROM json_each(?))`, ids);
      for (const id of unused) this.codes.put(id, undefined);
      this.compact();
    });
  }

  /**
   * The nearest vectors, nearest first: candidates by their codes, compared exactly.
   *
   * @param query unit vector of the palace's dimension
   * @param among indexed by vector id: 1 if it may be returned; default: all
   * @param reach how many to return; the later ones are less exact. Default `count`
   */
  nearest(query: Float32Array, count: number, among?: Uint8Array, reach = count): Neighbour[] {
    const last = this.sql.value<number | null>('SELECT max(id) AS id FROM vectors') ?? 0;
    const candidates = Math.max(
      CANDIDATES_AT_LEAST,
      count * CANDIDATES_EACH,
      Math.ceil(last * CANDIDATES_SHARE),
    );
    const cosines = this.cosines(query, this.codes.nearest(query, candidates, among));
    return [...cosines]
      .map(([vectorId, cosine]) => ({ vectorId, cosine }))
      .sort((a, b) => b.cosine - a.cosine || a.vectorId - b.vectorId)
      .slice(0, reach);
  }

  /** Cosine of the query and each vector, by id; ids without a vector are left out. */
  cosines(query: Float32Array, ids: Iterable<number>): Map<number, number> {
    const rows = this.sql.all<{ id: number; distance: number }>(
      `SELECT e.vector_id AS id, vec_distance_cosine(e.embedding, @query) AS distance
         FROM json_each(@ids) wanted CROSS JOIN embeddings e ON e.vector_id = wanted.value`,
      { query: blobOf(query), ids: JSON.stringify([...ids]) },
    );
    return new Map(rows.map(({ id, distance }) => [id, 1 - distance]));
  }

  /** Moves the last vectors into free slots, if there are many. */
  compact(force = false): void {
    const counts = this.sql.get<{ free: number; total: number }>(
      'SELECT count(*) - count(text_hash) AS free, count(*) AS total FROM vectors',
    );
    const { free, total } = counts ?? { free: 0, total: 0 };
    if (!force && (free < COMPACT_SLOTS || free < total * COMPACT_SHARE)) return;
    this.sql.write(() => {
      const holes = this.sql.values<number>('SELECT id FROM vectors WHERE text_hash IS NULL ORDER BY id');
      const last = this.sql.all<{ id: number; hash: Buffer }>(
        'SELECT id, text_hash AS hash FROM vectors WHERE text_hash IS NOT NULL ORDER BY id DESC LIMIT ?',
        holes.length,
      );
      for (const [index, { id: from, hash }] of last.entries()) {
        const to = holes[index];
        if (to === undefined || to > from) break;
        this.sql.run('UPDATE vectors SET text_hash = NULL WHERE id = ?', from);
        this.sql.run('UPDATE vectors SET text_hash = ? WHERE id = ?', hash, to);
        for (const table of ['embeddings', 'next_embeddings', 'drawers'])
          this.sql.run(`UPDATE ${table} SET vector_id = ? WHERE vector_id = ?`, to, from);
      }
      this.sql.exec(
        'DELETE FROM vectors WHERE id > (SELECT coalesce(max(id), 0) FROM vectors WHERE text_hash IS NOT NULL)',
      );
      this.codes.rebuild();
    });
  }

  /** Number of vectors with a wrong dimension or norm. */
  broken(): number {
    return this.sql.count(`FROM embeddings e WHERE ${BROKEN}`, this.unit());
  }

  /** The same for an evenly spread sample of filed vectors, including the last one; missing vectors count, too. */
  brokenOf(most: number): number {
    const last =
      this.sql.value<number | null>('SELECT max(id) FROM vectors WHERE text_hash IS NOT NULL') ?? 0;
    const ids = Array.from({ length: Math.min(most, last) }, (_, i) => last - Math.floor((i * last) / most));
    return this.sql.count(
      `FROM json_each(@ids) wanted JOIN vectors v ON v.id = wanted.value AND v.text_hash IS NOT NULL
         LEFT JOIN embeddings e ON e.vector_id = v.id WHERE e.vector_id IS NULL OR ${BROKEN}`,
      { ...this.unit(), ids: JSON.stringify(ids) },
    );
  }

  /** Parameters of `BROKEN`. */
  unit(): { bytes: number; zero: Buffer } {
    const bytes = this.dimension() * 4;
    return { bytes, zero: Buffer.alloc(bytes) };
  }

  #unfiled(hash: Buffer): Buffer | undefined {
    return this.sql.value<Buffer>('SELECT embedding FROM unfiled_vectors WHERE text_hash = ?', hash);
  }

  /** Assigns the first free slot, else a new one. */
  #freeSlot(hash: Buffer): number {
    const free = this.sql.value<number>('SELECT id FROM vectors WHERE text_hash IS NULL ORDER BY id LIMIT 1');
    if (free === undefined)
      return Number(this.sql.run('INSERT INTO vectors(text_hash) VALUES (?)', hash).lastInsertRowid);
    this.sql.run('UPDATE vectors SET text_hash = ? WHERE id = ?', hash, free);
    return free;
  }

  #overwrite(id: number, embedding: Buffer): void {
    this.sql.run(
      'INSERT INTO embeddings(vector_id, embedding) VALUES (?, ?) ON CONFLICT DO UPDATE SET embedding = excluded.embedding',
      id,
      embedding,
    );
    // It belonged to the previous text of the slot.
    this.sql.run('DELETE FROM next_embeddings WHERE vector_id = ?', id);
    this.codes.put(id, floatsOf(embedding));
  }
}

/** The bytes to store. Refuses a NaN or a wrong norm, which would silently falsify every distance. */
export function checkedBlob(embedding: Float32Array, dimension: number): Buffer {
  const norm = Math.hypot(...embedding);
  if (embedding.length !== dimension || !(Math.abs(norm - 1) < NORM_TOLERANCE)) {
    throw new Error(`a vector of ${embedding.length} dimensions and norm ${norm} cannot be filed`);
  }
  return blobOf(embedding);
}

function blobOf(vector: Float32Array): Buffer {
  return Buffer.from(vector.buffer, vector.byteOffset, vector.byteLength);
}
