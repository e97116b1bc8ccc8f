import type { Sql } from '../db/sql.js';
import { BESIDE } from '../tables/runs.js';
import type { LostDrawer } from './lost-vectors.js';

/** A drawer with the vector that it has. */
export interface VectoredDrawer extends LostDrawer {
  /** Floats, little endian. */
  embedding: Buffer;
}

const COLUMNS = 'd.id, d.text, e.embedding FROM drawers d JOIN embeddings e ON e.vector_id = d.vector_id';

const ANOTHER_MODEL = "json_extract(versions, '$.model') <> (SELECT value FROM meta WHERE key = 'model')";

/**
 * Drawers whose vectors are to be compared with what the palace's model makes of their texts: vectors of two models of
 * one dimension cannot be told apart by themselves. Texts that several drawers have are given more than once.
 */
export class VectorSamples {
  constructor(private readonly sql: Sql) {}

  /** Whether the palace ever had another model, as far as its record of runs goes: else nothing can be mixed. */
  get hadAnotherModel(): boolean {
    return this.sql.has(`SELECT 1 FROM runs WHERE ${ANOTHER_MODEL} LIMIT 1`);
  }

  /**
   * Drawers, by id, that a short write beside the runs filed when the palace had another model. Earlier
   * programs could file such a drawer with a vector of that model while `mempalace reembed` changed to this one.
   * Reads every row of the drawers.
   */
  doubtful(after: number, limit: number): VectoredDrawer[] {
    return this.sql.all<VectoredDrawer>(
      `SELECT ${COLUMNS} WHERE d.id > @after AND d.run_id IN (
           SELECT id FROM runs WHERE scope = @beside
             AND ${ANOTHER_MODEL})
         ORDER BY d.id LIMIT @limit`,
      { after, limit, beside: BESIDE },
    );
  }

  /** Drawers from all over the palace, at most `count`. */
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
