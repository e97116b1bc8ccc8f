import type { ModelIdentity } from '../db/model.js';
import type { Sql } from '../db/sql.js';
import { BROKEN, type Vectors } from './vectors.js';

/** A drawer whose vector is missing or broken, so that a search by meaning does not find it. */
export interface LostDrawer {
  id: number;
  text: string;
}

/** Drawers without a slot with a text hash and a unit vector of the palace's dimension. */
const LOST = `
  FROM drawers d
  LEFT JOIN vectors v ON v.id = d.vector_id AND v.text_hash IS NOT NULL
  LEFT JOIN embeddings e ON e.vector_id = v.id
  WHERE (e.vector_id IS NULL OR ${BROKEN})`;

export class LostVectors {
  constructor(
    private readonly sql: Sql,
    private readonly vectors: Vectors,
  ) {}

  count(): number {
    return this.sql.count(LOST, this.vectors.unit());
  }

  /** By id, starting after `after`. */
  some(after: number, limit: number): LostDrawer[] {
    return this.sql.all<LostDrawer>(
      `SELECT d.id, d.text ${LOST} AND d.id > @after ORDER BY d.id LIMIT @limit`,
      { ...this.vectors.unit(), after, limit },
    );
  }

  /**
   * Stores vectors of drawers, in one transaction; existing ones are replaced.
   *
   * @param model that made the vectors
   * @throws ModelChanged as `Vectors.keep` does
   */
  restore(
    found: readonly { drawer: LostDrawer; hash: Buffer; embedding: Float32Array }[],
    model: ModelIdentity,
  ): void {
    this.sql.write(() => {
      this.vectors.keep(found, model);
      for (const { drawer, hash } of found) {
        const vectorId = this.vectors.file(hash, true);
        this.sql.run('UPDATE drawers SET vector_id = ? WHERE id = ?', vectorId, drawer.id);
      }
      this.vectors.settle(found.map(({ hash }) => hash));
    });
  }

  /** Removes vectors without a slot. */
  sweep(): void {
    this.sql.exec(`
      DELETE FROM next_embeddings WHERE vector_id NOT IN (SELECT id FROM vectors WHERE text_hash IS NOT NULL);
      DELETE FROM embeddings WHERE vector_id NOT IN (SELECT id FROM vectors WHERE text_hash IS NOT NULL)`);
  }
}
