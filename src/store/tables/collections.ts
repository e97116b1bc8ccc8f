import type { Sql } from '../db/sql.js';

/** A stored search with drawers that the user added to it or excluded from it. */
export interface Collection {
  name: string;
  /** Null: the newest drawers that the filter allows; none without a filter. */
  question: string | null;
  /** JSON of the filter's conditions. */
  filter: string;
  /** Drawers that the search finds, at most. */
  most: number;
  /** Found drawers with a lower score do not belong to it. */
  min_score: number;
  /** ISO 8601, UTC. */
  made_at: string;
}

export interface CollectionRow extends Collection {
  id: number;
  added: number;
  excluded: number;
}

/** A drawer that the user added to a collection, or excluded from it. */
export interface CollectionMark {
  collection_id: number;
  drawer_id: string;
  is_member: 0 | 1;
}

const ROW = `
  SELECT c.id, c.name, c.question, c.filter, c.most, c.min_score, c.made_at,
    (SELECT count(*) FROM collection_drawers m WHERE m.collection_id = c.id AND m.is_member = 1) AS added,
    (SELECT count(*) FROM collection_drawers m WHERE m.collection_id = c.id AND m.is_member = 0) AS excluded
  FROM collections c`;
const MARK = 'collection_id, drawer_id, is_member';

/** The tables of collections. A removed drawer leaves them by its foreign key. */
export class Collections {
  constructor(private readonly sql: Sql) {}

  /** By name. */
  all(): CollectionRow[] {
    return this.sql.all<CollectionRow>(`${ROW} ORDER BY c.name`);
  }

  byName(name: string): CollectionRow | undefined {
    return this.sql.get<CollectionRow>(`${ROW} WHERE c.name = ?`, name);
  }

  /** Inserts or replaces a collection; its marks stay. Returns its row id. */
  put(collection: Collection): number {
    const id = this.sql.value<number>(
      `INSERT INTO collections(name, question, filter, most, min_score, made_at)
         VALUES (@name, @question, @filter, @most, @min_score, @made_at)
         ON CONFLICT(name) DO UPDATE SET (question, filter, most, min_score) =
           (excluded.question, excluded.filter, excluded.most, excluded.min_score)
         RETURNING id`,
      collection,
    );
    return id as number;
  }

  remove(id: number): void {
    this.sql.run('DELETE FROM collections WHERE id = ?', id);
  }

  mark({ collection_id, drawer_id, is_member }: CollectionMark): void {
    this.sql.run(
      `INSERT INTO collection_drawers(collection_id, drawer_id, is_member) VALUES (?, ?, ?)
         ON CONFLICT DO UPDATE SET is_member = excluded.is_member`,
      collection_id,
      drawer_id,
      is_member,
    );
  }

  unmark(collection_id: number, drawer_id: string): void {
    this.sql.run(
      'DELETE FROM collection_drawers WHERE collection_id = ? AND drawer_id = ?',
      collection_id,
      drawer_id,
    );
  }

  /** In the order of their ids. */
  marks(collection_id: number): CollectionMark[] {
    return this.sql.all<CollectionMark>(
      `SELECT ${MARK} FROM collection_drawers WHERE collection_id = ? ORDER BY drawer_id`,
      collection_id,
    );
  }

  marksOf(drawerIds: readonly string[]): CollectionMark[] {
    if (drawerIds.length === 0) return [];
    return this.sql.all<CollectionMark>(
      `SELECT ${MARK} FROM collection_drawers WHERE drawer_id IN (SELECT value FROM json_each(?))`,
      JSON.stringify(drawerIds),
    );
  }
}
