import type { IngestMode } from '../../core/contract.js';
import type { Priority } from '../../core/importance.js';
import { SOURCE } from '../tables/sources.js';
import type { DrawerDraft, FiledSource } from './records.js';
import type { Sql } from './sql.js';

export interface ArchivedSource extends FiledSource {
  ingestMode: IngestMode;
  contentDate: string | null;
  setPriority: Priority | null;
  pinned: number;
  filedAt: string;
  /** Of its drawers, in the lexical index. */
  place: string;
  /** Number of pieces of its whole text. */
  pieces: number;
}

export interface ArchivedDrawer extends DrawerDraft {
  drawerId: string;
  chunkIndex: number;
  addedBy: string;
  setPriority: Priority | null;
  pinned: number;
  filedAt: string;
  /** Floats, little endian; null while the text has no vector. */
  embedding: Buffer | null;
}

/** Columns of a drawer that a filing does not contain: who filed it, and what the user set. */
export type DrawerMarks = Pick<ArchivedDrawer, 'drawerId' | 'addedBy' | 'setPriority'> & { pinned: boolean };

const DRAWERS_PER_READ = 256;

export class Archive {
  constructor(private readonly sql: Sql) {}

  /**
   * Runs asynchronous `work`, which only reads, on one state of the palace. The WAL is kept until it ends. No other code
   * may use this connection meanwhile.
   */
  async during<T>(work: () => Promise<T>): Promise<T> {
    this.sql.exec('BEGIN');
    try {
      return await work();
    } finally {
      this.sql.exec('COMMIT');
    }
  }

  /** Sources by key; default: of all wings. */
  *sources(wing?: string): Generator<ArchivedSource> {
    const next = `
      SELECT ${SOURCE}, ingest_mode AS ingestMode, content_date AS contentDate, set_priority AS setPriority, pinned,
         filed_at AS filedAt,
         coalesce((SELECT place FROM drawers d WHERE d.source_id = s.id LIMIT 1), '') AS place,
         (SELECT count(*) FROM source_texts t WHERE t.source_id = s.id) AS pieces
       FROM sources s WHERE source_key > @after AND (@wing IS NULL OR wing = @wing) ORDER BY source_key LIMIT 1`;
    const from = (after: string) => this.sql.get<ArchivedSource>(next, { after, wing: wing ?? null });
    for (let row = from(''); row !== undefined; row = from(row.sourceKey)) yield row;
  }

  projectsOf(wing: string): Set<string> {
    const query = 'SELECT DISTINCT project_id AS id FROM sources WHERE wing = ? AND project_id IS NOT NULL';
    return new Set(this.sql.values<string>(query, wing));
  }

  count(wing?: string): number {
    return this.sql.count('FROM sources WHERE @wing IS NULL OR wing = @wing', { wing: wing ?? null });
  }

  /** The drawers of a source in order. */
  *drawers(sourceId: number): Generator<ArchivedDrawer> {
    const next = `
      SELECT d.drawer_id AS drawerId, d.chunk_index AS chunkIndex, d.char_start AS start, d.char_end AS end,
         d.line_start AS lineStart, d.line_end AS lineEnd, d.content_date AS contentDate, d.role, d.context,
         d.added_by AS addedBy, d.set_priority AS setPriority, d.pinned, d.filed_at AS filedAt, d.text,
         v.text_hash AS vectorHash, e.embedding
       FROM drawers d JOIN vectors v ON v.id = d.vector_id LEFT JOIN embeddings e ON e.vector_id = v.id
       WHERE d.source_id = ? AND d.chunk_index > ? ORDER BY d.chunk_index LIMIT ${DRAWERS_PER_READ}`;
    const from = (after: number) => this.sql.all<ArchivedDrawer>(next, sourceId, after);
    for (let rows = from(-1); rows.length > 0; rows = from(rows.at(-1)?.chunkIndex ?? 0)) yield* rows;
  }

  /** To be called in the transaction that files the source. */
  mark(marks: readonly DrawerMarks[]): void {
    const update = `UPDATE drawers SET added_by = @addedBy, set_priority = coalesce(@setPriority, set_priority),
      pinned = max(pinned, @pinned) WHERE drawer_id = @drawerId`;
    for (const { pinned, ...rest } of marks) this.sql.run(update, { ...rest, pinned: pinned ? 1 : 0 });
  }
}
