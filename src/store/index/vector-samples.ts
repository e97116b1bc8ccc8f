import type { Sql } from '../db/sql.js';
import { SHORT_WRITE } from '../tables/runs.js';
import type { LostDrawer } from './lost-vectors.js';

/** A drawer with its stored vector. */
export interface VectoredDrawer extends LostDrawer {
  /** Floats, little endian. */
  embedding: Buffer;
}

const COLUMNS = 'd.id, d.text, e.embedding FROM drawers d JOIN embeddings e ON e.vector_id = d.vector_id';

const ANOTHER_MODEL = "json_extract(versions, '$.model') <> (SELECT value FROM meta WHERE key = 'model')";

/**
 * Drawers whose vectors are to be compared with new vectors of their texts: vectors of two models with the same dimension
 * cannot be distinguished by themselves. A text of several drawers is returned several times.
 */
export class VectorSamples {
  constructor(private readonly sql: Sql) {}

  /** Whether the palace ever had another model, according to its record of runs. */
  get hadAnotherModel(): boolean {
    return this.sql.has(`SELECT 1 FROM runs WHERE ${ANOTHER_MODEL} LIMIT 1`);
  }

  /**
   * Drawers, by id, that a short write filed when the palace had another model. Earlier programs could file such a drawer
   * with a vector of that model during `mempalace reembed`. Reads all drawers.
   */
  doubtful(after: number, limit: number): VectoredDrawer[] {
    return this.sql.all<VectoredDrawer>(
      `SELECT ${COLUMNS} WHERE d.id > @after AND d.run_id IN (
           SELECT id FROM runs WHERE scope = @beside
             AND ${ANOTHER_MODEL})
         ORDER BY d.id LIMIT @limit`,
      { after, limit, beside: SHORT_WRITE },
    );
  }

  /** At most `count` drawers, spread over the palace. */
  spread(count: number): VectoredDrawer[] {
    return this.sql.all<VectoredDrawer>(
      `SELECT ${COLUMNS} WHERE d.id % (SELECT 1 + coalesce(max(id), 0) / @count FROM drawers) = 0 LIMIT @count`,
      { count },
    );
  }

  /** All drawers, by id. */
  some(after: number, limit: number): VectoredDrawer[] {
    return this.sql.all<VectoredDrawer>(
      `SELECT ${COLUMNS} WHERE d.id > ? ORDER BY d.id LIMIT ?`,
      after,
      limit,
    );
  }
}
