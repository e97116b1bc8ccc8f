import type { Sql } from './sql.js';

interface Entry {
  name: string;
  sql: string;
}

/** The lexical index with the tables it keeps itself in, the codes, and the indexes that are not part of a table. */
const DERIVED = `
  name = 'lexical_index' OR name GLOB 'lexical_index_*' OR tbl_name GLOB 'lexical_index_*'
  OR (type = 'table' AND name = 'codes') OR (type = 'index' AND sql IS NOT NULL)`;

/**
 * Rebuilds the lexical index, the codes and SQLite's indexes under their names, without touching a page of the old
 * ones: they may be too damaged to be emptied. One transaction. The pages of the old ones belong to nobody until the
 * file is rewritten, which must come next.
 *
 * @param fill fills the codes, in the same transaction
 * @throws UserError `palace-damaged` when what they are made from is damaged
 */
export function replaceDerived(sql: Sql, fill: () => void): void {
  sql.unguarded(() =>
    sql.write(() => {
      const entries = sql
        .prepare<Entry>(
          `SELECT name, sql FROM sqlite_master WHERE (${DERIVED}) AND name NOT GLOB 'lexical_index_*' ORDER BY type = 'index'`,
        )
        .all();
      sql.exec('PRAGMA writable_schema = ON');
      sql.exec(`DELETE FROM sqlite_master WHERE ${DERIVED}`);
      sql.exec('PRAGMA writable_schema = RESET');
      for (const entry of entries) sql.exec(entry.sql);
      sql.exec("INSERT INTO lexical_index(lexical_index, rank) VALUES ('secure-delete', 1)");
      sql.exec("INSERT INTO lexical_index(lexical_index) VALUES ('rebuild')");
      fill();
    }),
  );
}
