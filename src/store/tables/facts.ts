import type { Sql } from '../db/sql.js';

/** A subject or object of facts. */
export interface Entity {
  /** Normalised name: see `entityId` in `src/knowledge/facts`. */
  id: string;
  /** In its first spelling. */
  name: string;
}

/** Times are days (`YYYY-MM-DD`, meaning the first second) or UTC seconds (`…T00:00:00Z`). */
export interface FactRecord {
  triple_id: string;
  /** Id of an entity, like `object_id`. */
  subject_id: string;
  object_id: string;
  predicate: string;
  /** First second at which it is valid; null: without a beginning. */
  valid_from: string | null;
  /** First second at which it is not valid any more; null: still valid. */
  valid_to: string | null;
  /** 0–1. */
  confidence: number;
  source_key: string | null;
  source_drawer_id: string | null;
  source_file: string | null;
  source_closet: string | null;
  added_by: string;
  /** ISO 8601, UTC. */
  recorded_at: string;
}

export interface Fact extends FactRecord {
  subject: string;
  object: string;
}

/** Facts in which an entity is the subject, the object, or either. */
export type Direction = 'outgoing' | 'incoming' | 'both';

export interface FactQuery {
  /** Undefined: all facts. */
  entityId?: string | undefined;
  /** Default: both. */
  direction?: Direction | undefined;
  predicate?: string | undefined;
  /** A UTC second: only facts that are valid then. */
  at?: string | undefined;
}

const COLUMNS = `
  t.triple_id, t.subject AS subject_id, a.name AS subject, t.predicate, t.object AS object_id, b.name AS object,
  t.valid_from, t.valid_to, t.confidence, t.source_key, t.source_drawer_id, t.source_file, t.source_closet,
  t.added_by, t.recorded_at`;
const TABLES = 'triples t JOIN entities a ON a.id = t.subject JOIN entities b ON b.id = t.object';
const SIDES: Record<Direction, string> = {
  outgoing: 't.subject = @entityId',
  incoming: 't.object = @entityId',
  both: '(t.subject = @entityId OR t.object = @entityId)',
};
/** Converts a day to its first second. */
const second = (column: string) => `substr(${column} || 'T00:00:00Z', 1, 20)`;
const VALID = `(t.valid_from IS NULL OR ${second('t.valid_from')} <= @at)
  AND (t.valid_to IS NULL OR ${second('t.valid_to')} > @at)`;
/** When the fact began, else when it was recorded. */
const BEGAN = `substr(coalesce(${second('t.valid_from')}, t.recorded_at), 1, 19)`;

export class Facts {
  constructor(private readonly sql: Sql) {}

  entity(id: string): Entity | undefined {
    return this.sql.get<Entity>('SELECT id, name FROM entities WHERE id = ?', id);
  }

  /** An existing entity keeps its name. */
  addEntity({ id, name }: Entity, now: string): void {
    this.sql.run(
      'INSERT INTO entities(id, name, created_at) VALUES (@id, @name, @now) ON CONFLICT DO NOTHING',
      { id, name, now },
    );
  }

  /** Its entities must exist. */
  add(fact: FactRecord): void {
    this.sql.run(
      `INSERT INTO triples(triple_id, subject, predicate, object, valid_from, valid_to, confidence, source_key,
           source_drawer_id, source_file, source_closet, added_by, recorded_at)
         VALUES (@triple_id, @subject_id, @predicate, @object_id, @valid_from, @valid_to, @confidence, @source_key,
           @source_drawer_id, @source_file, @source_closet, @added_by, @recorded_at)`,
      fact,
    );
  }

  byId(triple_id: string): Fact | undefined {
    return this.sql.get<Fact>(`SELECT ${COLUMNS} FROM ${TABLES} WHERE t.triple_id = ?`, triple_id);
  }

  /** Facts by id. */
  beginningWith(prefix: string, limit: number): Fact[] {
    return this.sql.all<Fact>(
      `SELECT ${COLUMNS} FROM ${TABLES} WHERE substr(t.triple_id, 1, length(@prefix)) = @prefix
         ORDER BY t.triple_id LIMIT @limit`,
      { prefix, limit },
    );
  }

  /** In the order in which they were added. */
  of(subject_id: string, predicate: string): Fact[] {
    return this.sql.all<Fact>(
      `SELECT ${COLUMNS} FROM ${TABLES} WHERE t.subject = ? AND t.predicate = ? ORDER BY t.id`,
      subject_id,
      predicate,
    );
  }

  /** Facts by their beginning (else by when they were recorded), newest last. @param page counted from the newest */
  query(query: FactQuery, page: { limit: number; offset: number }): { facts: Fact[]; total: number } {
    const conditions = [
      query.entityId === undefined ? 'TRUE' : SIDES[query.direction ?? 'both'],
      ...(query.predicate === undefined ? [] : ['t.predicate = @predicate']),
      ...(query.at === undefined ? [] : [VALID]),
    ].join(' AND ');
    const facts = this.sql.all<Fact>(
      `SELECT ${COLUMNS} FROM ${TABLES} WHERE ${conditions}
         ORDER BY ${BEGAN} DESC, t.id DESC LIMIT @limit OFFSET @offset`,
      { ...query, ...page },
    );
    const total = this.sql.count(`FROM triples t WHERE ${conditions}`, query);
    return { facts: facts.reverse(), total };
  }

  /** @param valid_to null opens it again */
  end(triple_id: string, valid_to: string | null): void {
    this.sql.run('UPDATE triples SET valid_to = ? WHERE triple_id = ?', valid_to, triple_id);
  }

  /** @param at a UTC second: facts that are valid then are current */
  counts(at: string) {
    return {
      entities: this.sql.count('FROM entities'),
      triples: this.sql.count('FROM triples'),
      current: this.sql.count(`FROM triples t WHERE ${VALID}`, { at }),
      predicates: this.sql.all<{ predicate: string; facts: number }>(
        'SELECT predicate, count(*) AS facts FROM triples GROUP BY predicate ORDER BY facts DESC, predicate',
      ),
    };
  }

  /** Subjects with several current objects of one predicate, by subject. @param at a UTC second */
  crowds(at: string) {
    return this.sql
      .all<{ subject: string; predicate: string; objects: string }>(
        `SELECT a.name AS subject, t.predicate, json_group_array(b.name ORDER BY t.id) AS objects FROM ${TABLES}
         WHERE ${VALID} GROUP BY t.subject, t.predicate HAVING count(DISTINCT t.object) > 1
         ORDER BY t.subject, t.predicate`,
        { at },
      )
      .map(({ objects, ...rest }) => ({ ...rest, objects: [...new Set(JSON.parse(objects) as string[])] }));
  }

  /** In the order in which they were added; with a wing, only facts whose source is filed in it. */
  all(wing?: string): Fact[] {
    return this.sql.all<Fact>(
      `SELECT ${COLUMNS} FROM ${TABLES}
         WHERE @wing IS NULL OR EXISTS (
           SELECT 1 FROM sources s WHERE s.source_key = t.source_key AND s.wing = @wing)
         ORDER BY t.id`,
      { wing: wing ?? null },
    );
  }

  /** Replaces words of a fact that must be redacted; its times and its id stay. */
  reword(
    triple_id: string,
    words: Pick<FactRecord, 'subject_id' | 'object_id' | 'predicate' | Worded>,
  ): void {
    this.sql.run(
      `UPDATE triples SET subject = @subject_id, object = @object_id, predicate = @predicate,
           source_file = @source_file, source_closet = @source_closet WHERE triple_id = @triple_id`,
      { ...words, triple_id },
    );
  }

  erase(ids: readonly string[]): number {
    const erase = 'DELETE FROM triples WHERE triple_id IN (SELECT value FROM json_each(?))';
    return this.sql.write(() => {
      const { changes } = this.sql.run(erase, JSON.stringify(ids));
      this.dropUnused();
      return changes;
    });
  }

  /** Ids of facts that are forgotten, or whose source is forgotten or in the list. */
  ofForgotten(sourceKeys: readonly string[] = []): string[] {
    return this.sql.values<string>(
      `SELECT triple_id AS id FROM triples
         WHERE triple_id IN (SELECT source_key FROM tombstones WHERE kind = 'fact')
           OR source_key IN (SELECT source_key FROM tombstones) OR source_key IN (SELECT value FROM json_each(?))`,
      JSON.stringify(sourceKeys),
    );
  }

  dropUnused(): void {
    this.sql.exec(
      `DELETE FROM entities WHERE NOT EXISTS (SELECT 1 FROM triples t WHERE t.subject = entities.id)
         AND NOT EXISTS (SELECT 1 FROM triples t WHERE t.object = entities.id)`,
    );
  }
}

type Worded = 'source_file' | 'source_closet';
