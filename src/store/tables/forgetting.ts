import type { SourceKind } from '../../core/contract.js';
import { parseList } from '../db/json.js';
import type { Sql } from '../db/sql.js';
import { SOURCE, type SourceView } from './reading.js';

/** A fact is known by its own id, where a source has its key. */
type ForgottenKind = SourceKind | 'fact';

/** What was forgotten, and stays so until it is allowed again. */
export interface Tombstone {
  sourceKey: string;
  kind: ForgottenKind;
  wing: string;
  /** An absolute path, or `opencode://<session id>`. */
  origin: string;
  sessionId: string | null;
  projectId: string | null;
  /** The run that had filed it last. */
  runId: number;
  /** ISO 8601, UTC. */
  forgottenAt: string;
}

/** Which sources are meant: exactly one way of naming them. */
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

/** A name shorter than this may stand in any text by chance. */
const TELLING_CHARS = 4;

/** What the palace was told to forget. */
export class Forgetting {
  constructor(private readonly sql: Sql) {}

  has(sourceKey: string): boolean {
    return this.sql.has('SELECT 1 FROM tombstones WHERE source_key = ?', sourceKey);
  }

  /**
   * Keys of everything that is not to be filed, and where forgotten documents lie: a document gets another key when
   * its folder becomes a project of its own, or part of one around it.
   */
  names(): Set<string> {
    const places = this.sql.values<string>("SELECT origin FROM tombstones WHERE kind = 'document'");
    return new Set([...this.keys(), ...places]);
  }

  /** Keys of everything that is not to be filed. */
  keys(): Set<string> {
    return new Set(this.sql.values<string>('SELECT source_key FROM tombstones'));
  }

  /** The latest first. */
  all(): Tombstone[] {
    return this.sql.all<Tombstone>(
      `SELECT ${TOMBSTONE} FROM tombstones ORDER BY forgotten_at DESC, source_key`,
    );
  }

  /** Tombstones of this key or origin. */
  named(name: string): Tombstone[] {
    return this.sql.all<Tombstone>(
      `SELECT ${TOMBSTONE} FROM tombstones WHERE source_key = @name OR origin = @name`,
      { name },
    );
  }

  /** Sources that are filed and meant, by key. */
  sources(selector: Selector): SourceView[] {
    return this.sql.all<SourceView>(
      `SELECT ${SOURCE} FROM sources s WHERE s.${CONDITIONS[selector.by]} ORDER BY s.source_key`,
      valueIn(selector),
    );
  }

  /** Tombstones that are meant, by key. */
  tombstones(selector: Selector): Tombstone[] {
    return this.sql.all<Tombstone>(
      `SELECT ${TOMBSTONE} FROM tombstones WHERE ${CONDITIONS[selector.by]} ORDER BY source_key`,
      valueIn(selector),
    );
  }

  /** Marks filed sources as forgotten. They are still there until they are erased. */
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

  /** Takes over tombstones of another palace; what stands here of the same source stays. */
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
   * Allows sources to be filed again. Complete runs that passed them over no longer count as such: `--since`
   * without a value has to look behind them.
   */
  removeTombstones(keys: readonly string[]): void {
    const remove = this.sql.prepare('DELETE FROM tombstones WHERE source_key = ?');
    this.sql.write(() => {
      for (const key of keys) remove.run(key);
      this.sql.run('UPDATE runs SET narrowed = 1 WHERE narrowed = 0');
    });
  }

  /** Forgotten sources that are still filed, by row id: all of them are to be erased. */
  unerased(): SourceView[] {
    return this.sql.all<SourceView>(`SELECT ${SOURCE} FROM sources s
         WHERE EXISTS (SELECT 1 FROM tombstones) AND (s.source_key IN (SELECT source_key FROM tombstones)
           OR (s.kind = 'document' AND s.origin IN (SELECT origin FROM tombstones WHERE kind = 'document')))
         ORDER BY s.id`);
  }

  /** Takes what names these out of the records of runs: what was passed over or went wrong, with its titles. */
  scrubRuns(names: readonly string[]): void {
    const telling = names.filter((name) => name.length >= TELLING_CHARS);
    const rows = this.sql.all<{ id: number; skipped: string }>(
      "SELECT id, skipped FROM runs WHERE skipped IS NOT NULL AND skipped <> '[]'",
    );
    const update = this.sql.prepare('UPDATE runs SET skipped = ? WHERE id = ?');
    this.sql.write(() => {
      for (const { id, skipped } of rows) {
        const all = parseList(skipped, 'record of runs');
        const kept = all.filter((skip) => !textsOf(skip).some((text) => mentions(text, telling)));
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
