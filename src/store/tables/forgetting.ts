import type { SourceKind } from '../../core/contract.js';
import { DERIVED_KINDS } from '../../core/source-key.js';
import type { FiledSource } from '../db/records.js';
import type { Sql } from '../db/sql.js';
import { SOURCE } from './sources.js';

type ForgottenKind = SourceKind | 'fact';

/** The mark of a forgotten source or fact, which is not filed again. */
export interface Tombstone {
  /** Of a fact: its id. */
  sourceKey: string;
  kind: ForgottenKind;
  wing: string;
  /** An absolute path, or `opencode://<session id>`. */
  origin: string;
  sessionId: string | null;
  projectId: string | null;
  /** The run that filed it last. */
  runId: number;
  /** ISO 8601, UTC. */
  forgottenAt: string;
}

export interface Selector {
  by: 'session' | 'wing' | 'run';
  value: string | number;
}

const TOMBSTONE = `source_key AS sourceKey, kind, wing, origin, session_id AS sessionId, project_id AS projectId,
  run_id AS runId, forgotten_at AS forgottenAt`;

const INSERT =
  'INSERT INTO tombstones(source_key, kind, wing, origin, session_id, project_id, run_id, forgotten_at)';

/** Sources `r` that repeat what the session with the key `t.source_key` says. */
export const REPEATING = `json_each('${JSON.stringify(DERIVED_KINDS)}') k
  JOIN sources r ON r.source_key > k.value || ':' || t.source_key || '/'
    AND r.source_key < k.value || ':' || t.source_key || '/\u{10ffff}'`;

const COLUMNS: Record<Selector['by'], string> = { session: 'session_id', wing: 'wing', run: 'run_id' };

export class Forgetting {
  constructor(private readonly sql: Sql) {}

  has(sourceKey: string): boolean {
    return this.sql.has('SELECT 1 FROM tombstones WHERE source_key = ?', sourceKey);
  }

  /**
   * Keys that must not be filed, and origins of forgotten documents: a document gets another key when its folder becomes
   * a project, or part of an outer project.
   */
  names(): Set<string> {
    const places = this.sql.values<string>("SELECT origin FROM tombstones WHERE kind = 'document'");
    return new Set([...this.keys(), ...places]);
  }

  /** Keys that must not be filed. */
  keys(): Set<string> {
    return new Set(this.sql.values<string>('SELECT source_key FROM tombstones'));
  }

  /** Latest first. */
  all(): Tombstone[] {
    return this.sql.all<Tombstone>(
      `SELECT ${TOMBSTONE} FROM tombstones ORDER BY forgotten_at DESC, source_key`,
    );
  }

  named(name: string): Tombstone[] {
    return this.sql.all<Tombstone>(
      `SELECT ${TOMBSTONE} FROM tombstones WHERE source_key = @name OR origin = @name
         ORDER BY source_key`,
      { name },
    );
  }

  /** Filed sources by key. */
  sources({ by, value }: Selector): FiledSource[] {
    return this.sql.all<FiledSource>(
      `SELECT ${SOURCE} FROM sources s WHERE s.${COLUMNS[by]} = ? ORDER BY s.source_key`,
      value,
    );
  }

  /** Tombstones by key. */
  tombstones({ by, value }: Selector): Tombstone[] {
    return this.sql.all<Tombstone>(
      `SELECT ${TOMBSTONE} FROM tombstones WHERE ${COLUMNS[by]} = ? ORDER BY source_key`,
      value,
    );
  }

  /** Other sources with drawers of the same text, white space aside, by key. `drawers`: number of these. */
  copies(sourceIds: readonly number[]) {
    return this.sql.all<{ source_key: string; source_file: string; title: string | null; drawers: number }>(
      `WITH meant AS (SELECT value AS id FROM json_each(?))
       SELECT s.source_key, s.source_file, s.title, count(*) AS drawers
       FROM drawers d JOIN sources s ON s.id = d.source_id
       WHERE d.vector_id IN (SELECT vector_id FROM drawers WHERE source_id IN (SELECT id FROM meant))
         AND d.source_id NOT IN (SELECT id FROM meant)
       GROUP BY s.id ORDER BY s.source_key`,
      JSON.stringify(sourceIds),
    );
  }

  /** Names of the collections to which the user has added drawers of these sources. */
  collections(sourceIds: readonly number[]): string[] {
    return this.sql.values<string>(
      `SELECT DISTINCT c.name FROM collection_drawers m JOIN collections c ON c.id = m.collection_id
       JOIN drawers d ON d.drawer_id = m.drawer_id
       WHERE m.is_member = 1 AND d.source_id IN (SELECT value FROM json_each(?)) ORDER BY c.name`,
      JSON.stringify(sourceIds),
    );
  }

  /** Marks filed sources as forgotten; they are erased later. */
  addTombstones(sourceIds: readonly number[], now: string): void {
    this.sql.run(
      `${INSERT} SELECT source_key, kind, wing, origin, session_id, project_id, run_id, ? FROM sources
       WHERE id IN (SELECT value FROM json_each(?)) ON CONFLICT DO NOTHING`,
      now,
      JSON.stringify(sourceIds),
    );
  }

  /** Marks the records of conflicts between facts that are to be erased: they quote them. */
  addRecordTombstones(tripleIds: readonly string[], now: string): void {
    this.sql.run(
      `${INSERT} SELECT source_key, kind, wing, origin, session_id, project_id, run_id, ? FROM sources s
       WHERE source_key >= 'conflict:' AND source_key < 'conflict;'
         AND EXISTS (SELECT 1 FROM json_each(?) f WHERE instr(s.source_key, f.value) > 0)
       ON CONFLICT DO NOTHING`,
      now,
      JSON.stringify(tripleIds),
    );
  }

  /** Marks facts as forgotten by a run. */
  addFactTombstones(tripleIds: readonly string[], runId: number, now: string): void {
    this.sql.run(
      `${INSERT} SELECT value, 'fact', '', value, NULL, NULL, ?, ? FROM json_each(?) WHERE TRUE
       ON CONFLICT DO NOTHING`,
      runId,
      now,
      JSON.stringify(tripleIds),
    );
  }

  /** Adds tombstones of another palace; an existing tombstone of the same source stays. */
  adopt(tombstones: readonly Tombstone[]): void {
    const insert = `${INSERT} VALUES (@sourceKey, @kind, @wing, @origin, @sessionId, @projectId, @runId, @forgottenAt)
      ON CONFLICT DO NOTHING`;
    this.sql.write(() => {
      for (const tombstone of tombstones) this.sql.run(insert, tombstone);
    });
  }

  /**
   * Allows sources to be filed again. Earlier runs skipped them, so they no longer count as complete: `--since` without
   * a value must look further back.
   */
  removeTombstones(keys: readonly string[]): void {
    this.sql.write(() => {
      this.sql.run(
        'DELETE FROM tombstones WHERE source_key IN (SELECT value FROM json_each(?))',
        JSON.stringify(keys),
      );
      this.sql.run('UPDATE runs SET narrowed = 1 WHERE narrowed = 0');
    });
  }

  /** Forgotten sources that are still filed, and what repeats a forgotten session, by row id. */
  unerased(): FiledSource[] {
    return this.sql.all<FiledSource>(`SELECT ${SOURCE} FROM sources s
         WHERE EXISTS (SELECT 1 FROM tombstones) AND (s.source_key IN (SELECT source_key FROM tombstones)
           OR s.id IN (SELECT r.id FROM tombstones t JOIN ${REPEATING} WHERE t.kind = 'conversation')
           OR (s.kind = 'document' AND s.origin IN (SELECT origin FROM tombstones WHERE kind = 'document')))
         ORDER BY s.id`);
  }
}
