import type { ModelIdentity } from '../db/model.js';
import type { Sql } from '../db/sql.js';
import { SHORT_WRITE } from '../tables/runs.js';
import { LOST, type Vectors } from './vectors.js';

/** A drawer with its stored vector. */
export interface VectoredDrawer {
  id: number;
  text: string;
  /** Floats, little endian. */
  embedding: Buffer;
}

/** A drawer whose vector is broken, or missing and not pending, so that a search by meaning does not find it. */
export type LostDrawer = Omit<VectoredDrawer, 'embedding'>;

const FROM = `
  FROM drawers d LEFT JOIN vectors v ON v.id = d.vector_id AND v.text_hash IS NOT NULL
  LEFT JOIN embeddings e ON e.vector_id = v.id`;

const ANOTHER_MODEL = "json_extract(versions, '$.model') <> (SELECT value FROM meta WHERE key = 'model')";

/**
 * Drawers to embed again: their vector is lost, or must be compared with a new vector of their text, as vectors of two
 * models with the same dimension cannot be distinguished by themselves. A text of several drawers is returned several times.
 */
export class DrawerVectors {
  constructor(
    private readonly sql: Sql,
    private readonly vectors: Vectors,
  ) {}

  countLost(): number {
    return this.sql.count(`${FROM} WHERE ${LOST}`, this.vectors.unit());
  }

  /** By id, starting after `after`. Without the vector: a broken one may point in the right direction. */
  lost(after: number, limit: number): LostDrawer[] {
    const lost = this.#some(LOST, { after, limit, ...this.vectors.unit() });
    return lost.map(({ id, text }) => ({ id, text }));
  }

  /** Whether the palace ever had another model, according to its record of runs. */
  get hadAnotherModel(): boolean {
    return this.sql.has(`SELECT 1 FROM runs WHERE ${ANOTHER_MODEL} LIMIT 1`);
  }

  /**
   * Drawers, by id, that a short write filed when the palace had another model. Earlier programs could file such a drawer
   * with a vector of that model during `mempalace reembed`. Reads all drawers.
   */
  doubtful(after: number, limit: number): VectoredDrawer[] {
    const run = `SELECT id FROM runs WHERE scope = @beside AND ${ANOTHER_MODEL}`;
    const parameters = { after, limit, beside: SHORT_WRITE };
    return this.#some(`e.vector_id IS NOT NULL AND d.run_id IN (${run})`, parameters);
  }

  /** At most `limit` drawers, spread over the palace. */
  spread(limit: number): VectoredDrawer[] {
    const step = 'SELECT 1 + coalesce(max(id), 0) / @limit FROM drawers';
    return this.#some(`e.vector_id IS NOT NULL AND d.id % (${step}) = 0`, { after: 0, limit });
  }

  /** All drawers, by id. */
  all(after: number, limit: number): VectoredDrawer[] {
    return this.#some('e.vector_id IS NOT NULL', { after, limit });
  }

  #some(where: string, parameters: { after: number; limit: number }): VectoredDrawer[] {
    return this.sql.all<VectoredDrawer>(
      `SELECT d.id, d.text, e.embedding ${FROM} WHERE ${where} AND d.id > @after ORDER BY d.id LIMIT @limit`,
      parameters,
    );
  }

  /**
   * Stores vectors of `model`, in one transaction; existing ones are replaced.
   *
   * @throws ModelChanged as `Vectors.keep` does
   */
  restore(
    found: readonly { drawer: LostDrawer; hash: Buffer; embedding: Float32Array }[],
    model: ModelIdentity,
  ): void {
    this.sql.write(() => {
      for (const { drawer, hash, embedding } of found) {
        const vectorId = this.vectors.put(hash, embedding, model);
        this.sql.run('UPDATE drawers SET vector_id = ? WHERE id = ?', vectorId, drawer.id);
      }
    });
  }

  /** Removes vectors without a slot. */
  sweep(): void {
    this.sql.exec(`
      DELETE FROM next_embeddings WHERE vector_id NOT IN (SELECT id FROM vectors WHERE text_hash IS NOT NULL);
      DELETE FROM embeddings WHERE vector_id NOT IN (SELECT id FROM vectors WHERE text_hash IS NOT NULL)`);
  }
}
