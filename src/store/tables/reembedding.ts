import {
  formatModel,
  ModelChanged,
  type ModelIdentity,
  parseModel,
  sameModel,
  storedModel,
} from '../db/model.js';
import type { Sql } from '../db/sql.js';
import { checkedBlob, type Vectors } from '../index/vectors.js';

const SWEPT_PER_TRANSACTION = 2_000;

/** A text that has no vector of the next model yet. */
export interface MissingText {
  vectorId: number;
  hash: Buffer;
  /** Text of one of its drawers; the others are the same for every model. */
  text: string;
}

/**
 * The change to another model. Its vectors are collected next to the current ones, over several runs if needed, and
 * replace them in one transaction. Sources may be filed between two runs: a slot that gets another text loses its
 * collected vector.
 */
export class Reembedding {
  constructor(
    private readonly sql: Sql,
    private readonly vectors: Vectors,
  ) {}

  /** The model whose vectors are being collected. */
  get next(): ModelIdentity | undefined {
    return parseModel(this.sql.value<string>("SELECT value FROM meta WHERE key = 'next_model'") ?? '');
  }

  /** Starts or continues to collect vectors of a model; those of a third model are dropped. */
  begin(model: ModelIdentity): void {
    if (this.next !== undefined && sameModel(this.next, model)) return;
    this.abandon();
    this.sql.run("INSERT INTO meta(key, value) VALUES ('next_model', ?)", formatModel(model));
  }

  /** Drops the collected vectors. */
  abandon(): void {
    this.sql.run("DELETE FROM meta WHERE key = 'next_model'");
    this.sweep();
  }

  /** Deletes vectors of the previous or an abandoned model, in short transactions. A later call continues after a kill. */
  sweep(): void {
    if (this.next !== undefined) return;
    const sweep =
      'DELETE FROM next_embeddings WHERE vector_id IN (SELECT vector_id FROM next_embeddings LIMIT ?)';
    while (this.sql.run(sweep, SWEPT_PER_TRANSACTION).changes > 0);
  }

  /** Whether a change can be continued, or vectors must be swept. */
  get unfinished(): boolean {
    return this.next !== undefined || this.sql.has('SELECT 1 FROM next_embeddings LIMIT 1');
  }

  /** Number of texts in use, and of those with a next vector. */
  counts(): { texts: number; gathered: number } {
    const used = 'EXISTS (SELECT 1 FROM drawers d WHERE d.vector_id =';
    return {
      texts: this.sql.count(`FROM vectors v WHERE v.text_hash IS NOT NULL AND ${used} v.id)`),
      gathered: this.sql.count(`FROM next_embeddings n WHERE ${used} n.vector_id)`),
    };
  }

  /** Texts without their next vector, by vector id, starting after `after`. */
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

  /**
   * Stores next vectors of `model`, in one transaction. A vector whose slot contains another text by now is dropped.
   *
   * @throws ModelChanged, with nothing stored, when the palace is not being changed to that model any more
   */
  keep(
    vectors: readonly { vectorId: number; hash: Buffer; embedding: Float32Array }[],
    model: ModelIdentity,
  ): void {
    const insert = `INSERT INTO next_embeddings(vector_id, embedding)
      SELECT id, @embedding FROM vectors WHERE id = @vectorId AND text_hash = @hash
      ON CONFLICT DO UPDATE SET embedding = excluded.embedding`;
    this.sql.write(() => {
      const { next } = this;
      if (next === undefined || !sameModel(next, model)) throw new ModelChanged(storedModel(this.sql));
      for (const { vectorId, hash, embedding } of vectors)
        this.sql.run(insert, { vectorId, hash, embedding: checkedBlob(embedding, model.dimension) });
    });
  }

  /**
   * Switches to the collected vectors, in one transaction: searches see the old ones or the new ones. The old ones are
   * left to `sweep`, as overwriting them would lock the palace for long.
   *
   * @returns false, with nothing changed, when a text has no next vector yet
   */
  finish(): boolean {
    const { next } = this;
    if (next === undefined) throw new Error('no model is being changed to');
    return this.sql.write(() => {
      this.vectors.releaseUnused();
      if (this.missing(0, 1).length > 0) return false;
      // Pending texts have their next vector, or are embedded again when they are filed.
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
