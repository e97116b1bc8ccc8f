import type { Sql } from '../db/sql.js';

/** A text that needs a vector. */
export interface PendingText {
  /** Of the embedded text, see `textKey`. */
  hash: Buffer;
  text: string;
}

/** The first drawer of each text that is not embedded. */
const NOT_EMBEDDED = `FROM unfiled_vectors u JOIN vectors v ON v.text_hash = u.text_hash
  JOIN drawers d ON d.id = (SELECT min(id) FROM drawers WHERE vector_id = v.id) WHERE length(u.embedding) = 0`;
/** The pending texts of a source. */
const OF_SOURCE = `FROM drawers d JOIN vectors v ON v.id = d.vector_id
  JOIN unfiled_vectors u ON u.text_hash = v.text_hash WHERE d.source_id = ?`;

/**
 * The texts whose vector is not visible yet, in the order in which they were filed. The vector in their row is empty until
 * the text is embedded, and stays there until all vectors of a source that contains the text exist. A row without a slot
 * belongs to a text that is embedded before its source is filed.
 */
export class Pending {
  constructor(private readonly sql: Sql) {}

  /** Number of texts; reads only an index of these. */
  count(): number {
    return this.sql.count('FROM unfiled_vectors');
  }

  /** Requests the vector of a text. Returns false when it is requested already. */
  add(hash: Buffer): boolean {
    const insert = "INSERT INTO unfiled_vectors(text_hash, embedding) VALUES (?, x'') ON CONFLICT DO NOTHING";
    return this.sql.run(insert, hash).changes > 0;
  }

  /** Whether a text is embedded; undefined when it is not pending. */
  isEmbedded(hash: Buffer): boolean | undefined {
    const bytes = this.sql.value<number>(
      'SELECT length(embedding) FROM unfiled_vectors WHERE text_hash = ?',
      hash,
    );
    return bytes === undefined ? undefined : bytes > 0;
  }

  /** Stores the vector of a text. */
  keep(hash: Buffer, embedding: Buffer): void {
    this.sql.run(
      `INSERT INTO unfiled_vectors(text_hash, embedding) VALUES (?, ?)
         ON CONFLICT DO UPDATE SET embedding = excluded.embedding`,
      hash,
      embedding,
    );
  }

  /** Texts of drawers that are not embedded, starting after the row `after`. */
  next(after: number, limit: number): (PendingText & { row: number })[] {
    return this.sql.all<PendingText & { row: number }>(
      `SELECT u.id AS row, u.text_hash AS hash, d.text ${NOT_EMBEDDED} AND u.id > ? ORDER BY u.id LIMIT ?`,
      after,
      limit,
    );
  }

  /** Number of characters of the texts that `next` returns. Reads them. */
  chars(): number {
    return this.sql.value<number | null>(`SELECT sum(length(d.text)) ${NOT_EMBEDDED}`) ?? 0;
  }

  /** Slot and row of each pending text of a source; undefined while one of them is not embedded. */
  completeOf(sourceId: number): { slot: number; row: number }[] | undefined {
    // From the end, which is embedded last.
    const missing = `SELECT 1 ${OF_SOURCE} AND length(u.embedding) = 0 ORDER BY d.chunk_index DESC LIMIT 1`;
    if (this.sql.has(missing, sourceId)) return undefined;
    return this.sql.all(`SELECT DISTINCT v.id AS slot, u.id AS row ${OF_SOURCE} ORDER BY u.id`, sourceId);
  }

  /** Sources with an embedded text. */
  sources(): number[] {
    return this.sql.values<number>(`SELECT DISTINCT d.source_id FROM unfiled_vectors u
      JOIN vectors v ON v.text_hash = u.text_hash JOIN drawers d ON d.vector_id = v.id WHERE length(u.embedding) > 0`);
  }

  /** Removes a row; returns its vector. */
  take(row: number): Buffer | undefined {
    return this.sql.value<Buffer>('DELETE FROM unfiled_vectors WHERE id = ? RETURNING embedding', row);
  }

  /** Removes a text that no drawer contains any more, or whose vector is stored. */
  drop(hash: Buffer): void {
    this.sql.run('DELETE FROM unfiled_vectors WHERE text_hash = ?', hash);
  }

  /** Removes texts whose source was never filed: left by a run that was killed, and whose sources changed since. */
  dropUnfiled(): void {
    this.sql.run(`DELETE FROM unfiled_vectors
      WHERE NOT EXISTS (SELECT 1 FROM vectors v WHERE v.text_hash = unfiled_vectors.text_hash)`);
  }
}
