import { UserError } from '../../core/errors.js';
import { EVERYTHING } from './filter.js';
import { LexicalScores } from './lexical-scores.js';
import { type LexicalQuery, matchOf, matchOfGate } from './match.js';
import { COLUMNS } from './word-counts.js';

/** Entries that FTS5 collects in memory before it writes them; its default. */
const COLLECTED_BYTES = 1024 ** 2;
/** The same while an index is rebuilt: with the default, it merges what it wrote the more often, the larger the palace is. */
const REBUILD_BYTES = 64 * COLLECTED_BYTES;

const weights = Object.values(COLUMNS);

/** The lexical index: which drawers contain a query's words, with BM25 scores. */
export class LexicalIndex extends LexicalScores {
  /** Row ids of drawers that match the query, best BM25 score first. @param among row ids; default: all of them */
  candidates(query: LexicalQuery, count: number, among?: readonly number[]): number[] {
    const match = matchOf(query);
    if (match === undefined) return [];
    // The sign keeps SQLite from querying the index row by row, which takes a second.
    const restriction = among === undefined ? '' : 'AND +rowid IN (SELECT value FROM json_each(@among))';
    // A separate query, because a word that occurs twice in one query counts twice. Scoring is slow, matching is not.
    const inGate = 'AND +rowid IN (SELECT rowid FROM lexical_index WHERE lexical_index MATCH @gate)';
    const gate = query.gate === undefined ? '' : inGate;
    return this.sql.values<number>(
      `SELECT rowid FROM lexical_index WHERE lexical_index MATCH @match ${restriction} ${gate}
         ORDER BY bm25(lexical_index, ${weights.join(', ')}) LIMIT @count`,
      { match, count, among: JSON.stringify(among), gate: query.gate && matchOfGate(query.gate) },
    );
  }

  /** Drawers that contain exactly this text. Reads every drawer; for texts without a word. */
  containing(text: string, count: number, among = EVERYTHING): number[] {
    const containing = ['text', 'title', 'context', 'place']
      .map((name) => `instr(d.${name}, @text)`)
      .join(' OR ');
    return this.sql.values<number>(
      `SELECT d.id FROM drawers d JOIN sources s ON s.id = d.source_id
         WHERE (${containing}) AND ${among.sql} LIMIT @count`,
      { text, count, ...among.parameters },
    );
  }

  /** Tokens that begin with this character of a script without spaces. */
  tokensFrom(character: string): string[] {
    return this.sql.values<string>(
      `SELECT term FROM lexical_terms WHERE term >= @first AND term < @first || char(1114111)
         AND length(term) <= 2 ORDER BY doc DESC LIMIT 200`,
      { first: character },
    );
  }

  /** Runs `work`, which removes drawers, without updating the index, and rebuilds it: all in one transaction. */
  rebuildAfter<T>(work: () => T): T {
    return this.sql.write(() => {
      const trigger = this.sql.value<string>("SELECT sql FROM sqlite_schema WHERE name = 'drawers_deleted'");
      if (trigger === undefined) throw new Error('the palace has no trigger drawers_deleted');
      this.sql.exec('DROP TRIGGER drawers_deleted');
      const result = work();
      this.sql.exec(trigger);
      this.rebuild();
      return result;
    });
  }

  rebuild(): void {
    this.sql.write(() => {
      this.#collectInMemory(REBUILD_BYTES);
      this.sql.exec("INSERT INTO lexical_index(lexical_index) VALUES ('rebuild')");
      this.#collectInMemory(COLLECTED_BYTES);
    });
  }

  /** Frees the pages that removed words have left. */
  pack(): void {
    this.sql.exec("INSERT INTO lexical_index(lexical_index) VALUES ('optimize')");
  }

  #collectInMemory(bytes: number): void {
    // In the text, since a bound number is a float, which FTS5 refuses.
    this.sql.exec(`INSERT INTO lexical_index(lexical_index, rank) VALUES ('hashsize', ${bytes})`);
  }

  /**
   * Whether the index contains exactly the words of the drawers. Reads all texts and the whole index. The palace must be
   * open for writing, because SQLite treats this check as a write; it changes nothing.
   */
  matchesRows(): boolean {
    try {
      this.sql.exec("INSERT INTO lexical_index(lexical_index, rank) VALUES ('integrity-check', 1)");
      return true;
    } catch (error) {
      if (error instanceof UserError && error.code === 'palace-damaged') return false;
      throw error;
    }
  }
}
