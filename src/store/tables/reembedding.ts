import {
  formatModel,
  ModelChanged,
  type ModelIdentity,
  parseModel,
  sameModel,
  storedModel,
} from '../db/model.js';
import type { Sql } from '../db/sql.js';
import { blobOf, checkedVector, type Vectors } from '../index/vectors.js';

const SWEPT_TOGETHER = 2_000;

/** A text that has no vector of the next model yet. */
export interface MissingText {
  vectorId: number;
  hash: Buffer;
  /** Of one of its drawers; all of them are the same to every model. */
  text: string;
}

/**
 * The change to another model: its vectors gather beside those in force, over as many runs as it takes, and
 * take their place in one transaction. Filing may go on between two runs: a vector's slot that gets another
 * text loses what was gathered for it.
 */
export class Reembedding {
  constructor(
    private readonly sql: Sql,
    private readonly vectors: Vectors,
  ) {}

  /** The model whose vectors are being gathered. */
  get next(): ModelIdentity | undefined {
    return parseModel(this.sql.value<string>("SELECT value FROM meta WHERE key = 'next_model'") ?? '');
  }

  /** Begins to gather vectors of a model, or goes on with it; those of yet another one are dropped. */
  begin(model: ModelIdentity): void {
    if (this.next !== undefined && sameModel(this.next, model)) return;
    this.abandon();
    this.sql.run("INSERT INTO meta(key, value) VALUES ('next_model', ?)", formatModel(model));
  }

  /** Drops what was gathered. */
  abandon(): void {
    this.sql.run("DELETE FROM meta WHERE key = 'next_model'");
    this.sweep();
  }

  /**
   * Deletes vectors that no change needs any more, in short transactions: those of the model before, or of
   * one that was abandoned. What a killed run leaves, the next one sweeps.
   */
  sweep(): void {
    if (this.next !== undefined) return;
    const sweep =
      'DELETE FROM next_embeddings WHERE vector_id IN (SELECT vector_id FROM next_embeddings LIMIT ?)';
    while (this.sql.run(sweep, SWEPT_TOGETHER).changes > 0);
  }

  /** Whether there is something to go on with, or to sweep. */
  get unfinished(): boolean {
    return this.next !== undefined || this.sql.has('SELECT 1 FROM next_embeddings LIMIT 1');
  }

  /** Texts in use, and how many of them have their next vector. */
  counts(): { texts: number; gathered: number } {
    const count = (query: string): number => this.sql.value<number>(query) ?? 0;
    return {
      texts: count(
        `SELECT count(*) AS n FROM vectors v WHERE v.text_hash IS NOT NULL
         AND EXISTS (SELECT 1 FROM drawers WHERE vector_id = v.id)`,
      ),
      gathered: count(
        `SELECT count(*) AS n FROM next_embeddings n
         WHERE EXISTS (SELECT 1 FROM drawers WHERE vector_id = n.vector_id)`,
      ),
    };
  }

  /**
   * Texts without their next vector, by vector id.
   *
   * @param after the vector id to go on from; 0: from the start
   */
  missing(after: number, limit: number): MissingText[] {
    return this.sql.all<MissingText>(
      `SELECT v.id AS vectorId, v.text_hash AS hash, d.text FROM vectors v
         JOIN drawers d ON d.id = (SELECT min(id) FROM drawers WHERE vector_id = v.id)
         WHERE v.id > ? AND v.text_hash IS NOT NULL
           AND NOT EXISTS (SELECT 1 FROM next_embeddings WHERE vector_id = v.id)
         ORDER BY v.id LIMIT ?`,
      after,
      limit,
    );
  }

  /** Texts from all over the palace, at most so many. */
  sample(count: number): string[] {
    return this.sql.values<string>(
      `SELECT text FROM drawers
         WHERE id % (SELECT 1 + coalesce(max(id), 0) / @count FROM drawers) = 0 LIMIT @count`,
      { count },
    );
  }

  /**
   * Keeps next vectors, in one transaction. One whose slot holds another text by now is let go.
   *
   * @param model by which they were made
   * @throws ModelChanged when the palace is not being changed to that model any more: nothing is kept then
   */
  keep(
    vectors: readonly { vectorId: number; hash: Buffer; embedding: Float32Array }[],
    model: ModelIdentity,
  ): void {
    const insert = this.sql.prepare(
      `INSERT INTO next_embeddings(vector_id, embedding)
       SELECT id, @embedding FROM vectors WHERE id = @vectorId AND text_hash = @hash
       ON CONFLICT DO UPDATE SET embedding = excluded.embedding`,
    );
    this.sql.write(() => {
      const { next } = this;
      if (next === undefined || !sameModel(next, model)) throw new ModelChanged(storedModel(this.sql));
      for (const { vectorId, hash, embedding } of vectors)
        insert.run({ vectorId, hash, embedding: blobOf(checkedVector(embedding, model.dimension)) });
    });
  }

  /**
   * Puts the gathered vectors in force, in one transaction: searches see the old ones or the new ones. Those
   * before are left to `sweep`, since overwriting so much would hold the palace for long.
   *
   * @returns false, with nothing changed, when a text has no next vector yet
   */
  finish(): boolean {
    const { next } = this;
    if (next === undefined) throw new Error('no model is being changed to');
    return this.sql.write(() => {
      this.vectors.releaseUnused();
      const missing = this.sql.has(`SELECT 1 FROM vectors v WHERE v.text_hash IS NOT NULL
           AND NOT EXISTS (SELECT 1 FROM next_embeddings WHERE vector_id = v.id) LIMIT 1`);
      if (missing) return false;
      // Unfiled vectors are the old model's: their texts are embedded again when they are filed.
      this.sql.exec(`
        ALTER TABLE embeddings RENAME TO previous_embeddings;
        ALTER TABLE next_embeddings RENAME TO embeddings;
        ALTER TABLE previous_embeddings RENAME TO next_embeddings;
        DELETE FROM unfiled_vectors;
        DELETE FROM meta WHERE key = 'next_model';
      `);
      this.sql.run("UPDATE meta SET value = ? WHERE key = 'model'", formatModel(next));
      this.vectors.codes.rebuild();
      return true;
    });
  }
}
