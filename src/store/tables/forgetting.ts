import type { SourceKind } from '../../core/contract.js';
import { parseList } from '../db/json.js';
import type { Sql } from '../db/sql.js';
import { SOURCE, type SourceView } from './reading.js';

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

export type Selector =
  | { by: 'key'; key: string }
  | { by: 'session'; session: string }
  | { by: 'wing'; wing: string }
  | { by: 'run'; run: number };

const TOMBSTONE = `source_key AS sourceKey, kind, wing, origin, session_id AS sessionId, project_id AS projectId,
  run_id AS runId, forgotten_at AS forgottenAt`;

const CONDITIONS: Record<Selector['by'], string> = {
  key: 'source_key = ?',
  session: 'session_id = ?',
  wing: 'wing = ?',
  run: 'run_id = ?',
};

/** A shorter name occurs in texts by chance. */
const LEAST_NAME_CHARS = 4;

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

  /** Tombstones with this key or origin. */
  named(name: string): Tombstone[] {
    return this.sql.all<Tombstone>(
      `SELECT ${TOMBSTONE} FROM tombstones WHERE source_key = @name OR origin = @name`,
      { name },
    );
  }

  /** Filed sources by key. */
  sources(selector: Selector): SourceView[] {
    return this.sql.all<SourceView>(
      `SELECT ${SOURCE} FROM sources s WHERE s.${CONDITIONS[selector.by]} ORDER BY s.source_key`,
      valueIn(selector),
    );
  }

  /** Tombstones by key. */
  tombstones(selector: Selector): Tombstone[] {
    return this.sql.all<Tombstone>(
      `SELECT ${TOMBSTONE} FROM tombstones WHERE ${CONDITIONS[selector.by]} ORDER BY source_key`,
      valueIn(selector),
    );
  }

  /** Marks filed sources as forgotten; they are erased later. */
  addTombstones(sourceIds: readonly number[], now: string): void {
    const insert = this.sql.prepare(
      `INSERT INTO tombstones(source_key, kind, wing, origin, session_id, project_id, run_id, forgotten_at)
       SELECT source_key, kind, wing, origin, session_id, project_id, run_id, ? FROM sources WHERE id = ?
       ON CONFLICT DO NOTHING`,
    );
    this.sql.write(() => {
      for (const id of sourceIds) insert.run(now, id);
    });
  }

  /**
   * Marks facts as forgotten.
   *
   * @param runId the run that forgets them
   */
  addFactTombstones(tripleIds: readonly string[], runId: number, now: string): void {
    this.adopt(
      tripleIds.map((id) => ({
        sourceKey: id,
        kind: 'fact',
        wing: '',
        origin: id,
        sessionId: null,
        projectId: null,
        runId,
        forgottenAt: now,
      })),
    );
  }

  /** Adds tombstones of another palace; an existing tombstone of the same source stays. */
  adopt(tombstones: readonly Tombstone[]): void {
    const insert = this.sql.prepare(
      `INSERT INTO tombstones(source_key, kind, wing, origin, session_id, project_id, run_id, forgotten_at)
       VALUES (@sourceKey, @kind, @wing, @origin, @sessionId, @projectId, @runId, @forgottenAt)
       ON CONFLICT DO NOTHING`,
    );
    this.sql.write(() => {
      for (const tombstone of tombstones) insert.run(tombstone);
    });
  }

  /**
   * Allows sources to be filed again. Earlier runs skipped them, so they no longer count as complete: `--since` without
   * a value must look further back.
   */
  removeTombstones(keys: readonly string[]): void {
    const remove = this.sql.prepare('DELETE FROM tombstones WHERE source_key = ?');
    this.sql.write(() => {
      for (const key of keys) remove.run(key);
      this.sql.run('UPDATE runs SET narrowed = 1 WHERE narrowed = 0');
    });
  }

  /** Forgotten sources that are still filed, by row id. */
  unerased(): SourceView[] {
    return this.sql.all<SourceView>(`SELECT ${SOURCE} FROM sources s
         WHERE EXISTS (SELECT 1 FROM tombstones) AND (s.source_key IN (SELECT source_key FROM tombstones)
           OR (s.kind = 'document' AND s.origin IN (SELECT origin FROM tombstones WHERE kind = 'document')))
         ORDER BY s.id`);
  }

  /** Removes entries that mention one of these names from the records of runs. */
  scrubRuns(names: readonly string[]): void {
    const longEnough = names.filter((name) => name.length >= LEAST_NAME_CHARS);
    const rows = this.sql.all<{ id: number; skipped: string }>(
      "SELECT id, skipped FROM runs WHERE skipped IS NOT NULL AND skipped <> '[]'",
    );
    const update = this.sql.prepare('UPDATE runs SET skipped = ? WHERE id = ?');
    this.sql.write(() => {
      for (const { id, skipped } of rows) {
        const all = parseList(skipped, 'record of runs');
        const kept = all.filter((skip) => !textsOf(skip).some((text) => mentions(text, longEnough)));
        if (kept.length < all.length) update.run(JSON.stringify(kept), id);
      }
    });
  }
}

function mentions(text: string, names: readonly string[]): boolean {
  return names.some((name) => text.includes(name));
}

function textsOf(value: unknown): string[] {
  if (typeof value === 'string') return [value];
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(textsOf) : [];
}

function valueIn({ by: _, ...value }: Selector): string | number {
  return Object.values(value)[0];
}
