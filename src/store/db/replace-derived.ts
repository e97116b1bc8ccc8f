import type { Sql } from './sql.js';

/** The lexical index with its internal tables, the codes, what is derived from texts, and the explicit indexes. */
const DERIVED = `
  name = 'lexical_index' OR name GLOB 'lexical_index_*' OR tbl_name GLOB 'lexical_index_*'
  OR name IN ('codes', 'touched_files', 'failures') OR (type = 'index' AND sql IS NOT NULL)`;

/**
 * Rebuilds the lexical index, the codes and SQLite's indexes, in one transaction, without touching a page of the old
 * ones, which may be too damaged to be emptied. The old pages stay unused until the file is rewritten, which must follow.
 *
 * @param fill fills the codes, in the same transaction
 * @throws UserError `palace-damaged` when the rows are damaged
 */
export function replaceDerived(sql: Sql, fill: () => void): void {
  sql.unguarded(() =>
    sql.write(() => {
      const statements = sql.values<string>(
        `SELECT sql FROM sqlite_master WHERE (${DERIVED}) AND name NOT GLOB 'lexical_index_*' ORDER BY type = 'index'`,
      );
      sql.exec('PRAGMA writable_schema = ON');
      sql.exec(`DELETE FROM sqlite_master WHERE ${DERIVED}`);
      sql.exec('PRAGMA writable_schema = RESET');
      for (const statement of statements) sql.exec(statement);
      sql.exec("INSERT INTO lexical_index(lexical_index, rank) VALUES ('secure-delete', 1)");
      sql.exec("INSERT INTO lexical_index(lexical_index) VALUES ('rebuild')");
      fill();
    }),
  );
}
