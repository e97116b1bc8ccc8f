import type { FiledSource, SourceRecord } from '../db/records.js';
import type { Sql } from '../db/sql.js';
import { SOURCE } from './sources.js';

/** `sub-agent`: the other session started it. `fork`: it copied messages of the other session, which are not filed again. */
export type Relation = 'sub-agent' | 'fork';

export interface RelatedSession {
  source: FiledSource;
  relation: Relation;
  /** Key of the session that it came from; that one may not be filed. */
  ofKey: string;
}

/** Sub-agents' transcripts have the key of their session, a slash, and a name. */
const OWNER = "substr(s.source_key, 1, instr(s.source_key, '/') - 1)";
const IS_SESSION = "s.kind = 'conversation' AND s.session_id IS NOT NULL";
/** Checkpoints and summaries have keys of the same form, and are documents of their own. */
const IS_PART = `${IS_SESSION} AND instr(s.source_key, '/') > 0`;

export class Relations {
  constructor(private readonly sql: Sql) {}

  /** Without `standsIn`, recorded relations stay: the source was filed again from the palace, which does not name them. */
  put(sourceId: number, { parentKey, standsIn }: SourceRecord): void {
    if (standsIn === undefined) return;
    this.clear(sourceId);
    const add = 'INSERT OR IGNORE INTO session_relations(source_id, of_key, relation) VALUES (?, ?, ?)';
    for (const key of standsIn) this.sql.run(add, sourceId, key, 'fork');
    if (parentKey !== undefined) this.sql.run(add, sourceId, parentKey, 'sub-agent');
  }

  clear(sourceId: number): void {
    this.sql.run('DELETE FROM session_relations WHERE source_id = ?', sourceId);
  }

  /** The sessions that a session came from: those that are filed. */
  origins(sourceKey: string): { ofKey: string; relation: Relation }[] {
    return this.sql.all(
      `SELECT r.of_key AS ofKey, r.relation FROM session_relations r
         JOIN sources s ON s.id = r.source_id JOIN sources o ON o.source_key = r.of_key
         WHERE s.source_key = @key
       UNION SELECT o.source_key, 'sub-agent' FROM sources s JOIN sources o ON o.source_key = ${OWNER}
         WHERE s.source_key = @key AND ${IS_PART}
       ORDER BY 2 DESC, 1`,
      { key: sourceKey },
    );
  }

  /** The filed sessions that came from a session, oldest first. */
  descendants(sourceKey: string): RelatedSession[] {
    const rows = this.sql.all<FiledSource & { relation: Relation }>(
      `SELECT ${SOURCE}, r.relation FROM session_relations r JOIN sources s ON s.id = r.source_id
         WHERE r.of_key = @key
       UNION SELECT ${SOURCE}, 'sub-agent' FROM sources s
         WHERE s.source_key >= @key || '/' AND s.source_key < @key || '0' AND ${IS_PART}
       ORDER BY mtimeMs, sourceKey`,
      { key: sourceKey },
    );
    return rows.map(({ relation, ...source }) => ({ source, relation, ofKey: sourceKey }));
  }
}
