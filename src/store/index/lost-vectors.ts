import type { ModelIdentity } from '../db/model.js';
import type { Sql } from '../db/sql.js';
import { BROKEN, type Vectors } from './vectors.js';

/** A drawer that no search by meaning finds, since its vector is gone. */
export interface LostDrawer {
  id: number;
  /** What was embedded. */
  text: string;
}

/** What a drawer needs: a slot with a text's hash, and in it a unit vector of the palace's dimension. */
const LOST = `
  FROM drawers d
  LEFT JOIN vectors v ON v.id = d.vector_id AND v.text_hash IS NOT NULL
  LEFT JOIN embeddings e ON e.vector_id = v.id
  WHERE (e.vector_id IS NULL OR ${BROKEN})`;

/** Drawers whose vector is gone, and giving them one again. */
export class LostVectors {
  readonly #sql: Sql;
  readonly #vectors: Vectors;

  constructor(sql: Sql, vectors: Vectors) {
    this.#sql = sql;
    this.#vectors = vectors;
  }

  count(): number {
    const row = this.#sql.prepare<{ n: number }>(`SELECT count(*) AS n ${LOST}`).get(this.#vectors.unit());
    return row?.n ?? 0;
  }

  /** Drawers by id, those behind `after`. */
  some(after: number, limit: number): LostDrawer[] {
    return this.#sql
      .prepare<LostDrawer>(`SELECT d.id, d.text ${LOST} AND d.id > @after ORDER BY d.id LIMIT @limit`)
      .all({ ...this.#vectors.unit(), after, limit });
  }

  /**
   * Gives drawers their vectors, in one transaction; a vector that is there is replaced.
   *
   * @param model by which they were made
   * @throws ModelChanged as `Vectors.keep` does
   */
  restore(
    found: readonly { drawer: LostDrawer; hash: Buffer; embedding: Float32Array }[],
    model: ModelIdentity,
  ): void {
    const point = this.#sql.prepare('UPDATE drawers SET vector_id = ? WHERE id = ?');
    this.#sql.write(() => {
      this.#vectors.keep(found, model);
      for (const { drawer, hash } of found) point.run(this.#vectors.file(hash, true), drawer.id);
      this.#vectors.settle(found.map(({ hash }) => hash));
    });
  }

  /** Removes what no drawer can need: slots without a vector, and vectors without a slot. */
  sweep(): void {
    this.#sql.exec(`
      DELETE FROM next_embeddings WHERE vector_id NOT IN (SELECT id FROM vectors WHERE text_hash IS NOT NULL);
      DELETE FROM embeddings WHERE vector_id NOT IN (SELECT id FROM vectors WHERE text_hash IS NOT NULL)`);
  }
}
