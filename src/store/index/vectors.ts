import { type Coverage, coverageOf } from '../../core/coverage.js';
import { ModelChanged, type ModelIdentity, sameModel, storedModel } from '../db/model.js';
import type { Sql } from '../db/sql.js';
import { Codes, floatsOf } from './codes.js';
import { Pending } from './pending.js';

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
const BROKEN = `CASE WHEN length(e.embedding) IS NOT @bytes THEN 1
  ELSE coalesce(abs(vec_distance_L2(e.embedding, @zero) - 1) > ${NORM_TOLERANCE}, 1) END`;

/** Whether the vector `e` of the slot `v` is broken, or missing and not pending. */
export const LOST = `CASE WHEN e.vector_id IS NULL
  THEN NOT EXISTS (SELECT 1 FROM unfiled_vectors u WHERE u.text_hash = v.text_hash) ELSE ${BROKEN} END`;

/**
 * The vectors of the palace: one unit vector per distinct text of its drawers, found by the hash of that text. Each text has
 * a slot from the moment it is filed; its vector may come later. A new text takes a free slot, so that the packed codes
 * have few holes.
 */
export class Vectors {
  readonly codes: Codes;
  readonly pending: Pending;

  /** @param dimension called each time: the model may change while the palace is open */
  constructor(
    private readonly sql: Sql,
    private readonly dimension: () => number,
  ) {
    this.codes = new Codes(sql);
    this.pending = new Pending(sql);
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
    return this.pending.isEmbedded(hash) ?? this.slotOf(hash) !== undefined;
  }

  /** Of a search by meaning. Reads no vector and no text. */
  coverage(): Coverage {
    const used = `SELECT (SELECT coalesce(max(id), 0) FROM vectors) - (SELECT count(*) FROM vectors WHERE text_hash IS NULL)`;
    const texts = this.sql.value<number>(used) ?? 0;
    // A text that is embedded again has its old vector until then, and one may be embedded before its source is filed.
    const requested = this.pending.count();
    return coverageOf(texts, requested === 0 ? 0 : Math.min(requested, texts - this.codes.count()));
  }

  /**
   * Stores vectors in one transaction. Those of a source become visible together: with the last one, or when the source
   * is filed. All vectors that a run makes enter here.
   *
   * @throws ModelChanged, with nothing stored, when the palace has another model
   */
  keep(vectors: readonly { hash: Buffer; embedding: Float32Array }[], model: ModelIdentity): void {
    const sources = `SELECT DISTINCT d.source_id FROM vectors v JOIN drawers d ON d.vector_id = v.id
      WHERE v.text_hash = ?`;
    this.sql.write(() => {
      this.requireModel(model);
      const touched = new Set<number>();
      for (const { hash, embedding } of vectors) {
        this.pending.keep(hash, checkedBlob(embedding, model.dimension));
        for (const id of this.sql.values<number>(sources, hash)) touched.add(id);
      }
      for (const id of touched) this.publish(id);
    });
  }

  /** Makes the vectors of a source visible if all of its texts are embedded. In a transaction. */
  publish(sourceId: number): void {
    for (const { slot, row } of this.pending.completeOf(sourceId) ?? []) {
      const embedding = this.pending.take(row);
      if (embedding !== undefined) this.#store(slot, embedding);
    }
  }

  /** `publish` for every source with an embedded pending text. (A killed run of an earlier program may leave such texts.) */
  publishAll(): void {
    this.sql.write(() => {
      for (const id of this.pending.sources()) this.publish(id);
    });
  }

  /**
   * The slot of a text, which gets one if needed. Must run inside the transaction that files the drawer.
   *
   * @param refresh the text is to be embedded again
   * @returns `pending`: this call requested its vector
   */
  slot(hash: Buffer, refresh = false): { id: number; pending: boolean } {
    const known = this.slotOf(hash);
    const id = known ?? this.#freeSlot(hash);
    return { id, pending: (known === undefined || refresh) && this.pending.add(hash) };
  }

  /** Stores the vector of a text of the palace, visible at once; returns its slot. In a transaction. */
  put(hash: Buffer, embedding: Float32Array, model: ModelIdentity): number {
    this.requireModel(model);
    const id = this.slotOf(hash) ?? this.#freeSlot(hash);
    this.#store(id, checkedBlob(embedding, model.dimension));
    this.pending.drop(hash);
    return id;
  }

  /**
   * Frees unused slots. Called at the end of a run, not for each source: a text that moves from one source to another
   * keeps its vector.
   */
  releaseUnused(): void {
    const free = this.sql.all<{ id: number; hash: Buffer }>(`SELECT id, text_hash AS hash FROM vectors
         WHERE text_hash IS NOT NULL AND NOT EXISTS (SELECT 1 FROM drawers WHERE vector_id = vectors.id)`);
    if (free.length === 0) return;
    this.sql.write(() => {
      const unused = free.map(({ id }) => id);
      const ids = JSON.stringify(unused);
      for (const { hash } of free) this.pending.drop(hash);
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
   * @param known cosines with this query, by vector id; receives further ones
   */
  nearest(
    query: Float32Array,
    count: number,
    among?: Uint8Array,
    reach = count,
    known = new Map<number, number>(),
  ): Neighbour[] {
    const last = this.sql.value<number | null>('SELECT max(id) AS id FROM vectors') ?? 0;
    const candidates = Math.max(
      CANDIDATES_AT_LEAST,
      count * CANDIDATES_EACH,
      Math.ceil(last * CANDIDATES_SHARE),
    );
    const ids = this.codes.nearest(query, candidates, among);
    const unknown = ids.filter((id) => !known.has(id));
    for (const [id, cosine] of this.cosines(query, unknown)) known.set(id, cosine);
    return ids
      .flatMap((vectorId) => {
        const cosine = known.get(vectorId);
        return cosine === undefined ? [] : [{ vectorId, cosine }];
      })
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

  /** The same for an evenly spread sample of slots, including the last one; missing vectors count, too. */
  brokenOf(most: number): number {
    const last =
      this.sql.value<number | null>('SELECT max(id) FROM vectors WHERE text_hash IS NOT NULL') ?? 0;
    const ids = Array.from({ length: Math.min(most, last) }, (_, i) => last - Math.floor((i * last) / most));
    return this.sql.count(
      `FROM json_each(@ids) wanted JOIN vectors v ON v.id = wanted.value AND v.text_hash IS NOT NULL
         LEFT JOIN embeddings e ON e.vector_id = v.id WHERE ${LOST}`,
      { ...this.unit(), ids: JSON.stringify(ids) },
    );
  }

  /** Parameters of `BROKEN`. */
  unit(): { bytes: number; zero: Buffer } {
    const bytes = this.dimension() * 4;
    return { bytes, zero: Buffer.alloc(bytes) };
  }

  /** Where the vector of a text is, or will be. */
  slotOf(hash: Buffer): number | undefined {
    return this.sql.value<number>('SELECT id FROM vectors WHERE text_hash = ?', hash);
  }

  /** Assigns the first free slot, else a new one. */
  #freeSlot(hash: Buffer): number {
    const free = this.sql.value<number>('SELECT id FROM vectors WHERE text_hash IS NULL ORDER BY id LIMIT 1');
    if (free === undefined)
      return Number(this.sql.run('INSERT INTO vectors(text_hash) VALUES (?)', hash).lastInsertRowid);
    this.sql.run('UPDATE vectors SET text_hash = ? WHERE id = ?', hash, free);
    // It belonged to the previous text of the slot.
    this.sql.run('DELETE FROM next_embeddings WHERE vector_id = ?', free);
    return free;
  }

  #store(id: number, embedding: Buffer): void {
    this.sql.run(
      'INSERT INTO embeddings(vector_id, embedding) VALUES (?, ?) ON CONFLICT DO UPDATE SET embedding = excluded.embedding',
      id,
      embedding,
    );
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
