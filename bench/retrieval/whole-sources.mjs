/**
 * The baseline: BM25 of whole sources, thirty lines of SQL. FTS5 with a Porter stemmer, the words of the question without stop
 * words, the name of a source as a column of weight 2. The same as `../shared/data/docs-dev/baseline.py`, with the same figures.
 */
import Database from 'better-sqlite3';

const STOP = new Set(
  `a about above after again against all also although am an and any
are aren as at be because been before being below between both but by can
cannot could couldn d did didn do does doesn doing don down during each else
even ever every few for from further get gets got had hadn has hasn have haven
having he her here hers him his how i if in into is isn it its itself just ll
m may me might more most must my myself no nor not now of off on once one only
or other our ours out over own per re s same say shall she should shouldn since
so some still such t than that the their theirs them then there these they this
those though through to too under until up us ve very was wasn we were weren
what when where whether which while who whom why will with within without won
would wouldn yes yet you your yours`.split(/\s+/),
);
const NAME_WEIGHT = 2;
const CUT = 100;

/** Sources in memory. */
export class WholeSources {
  #database = new Database(':memory:');

  /** @param {{ id: string, scope: string, name: string, text: string }[]} sources equal scores are in the order of scope and id */
  constructor(sources) {
    this.#database.exec(
      "CREATE VIRTUAL TABLE f USING fts5(scope UNINDEXED, id UNINDEXED, name, body, tokenize='porter unicode61')",
    );
    const insert = this.#database.prepare('INSERT INTO f VALUES (?, ?, ?, ?)');
    for (const { id, scope, name, text } of sources) insert.run(scope, id, name, text);
  }

  /**
   * The first hundred sources with a word of the question, best first.
   *
   * @param {string} [scope] only sources of this scope; the statistics of words are those of all
   * @returns {string[]} ids
   */
  rank(question, scope) {
    const terms = wordsOf(question).map((word) => `"${word}"`);
    if (terms.length === 0) return [];
    const among = scope === undefined ? '' : 'AND scope = @scope';
    return this.#database
      .prepare(
        `SELECT id FROM f WHERE f MATCH @match ${among} ORDER BY bm25(f, 0, 0, ${NAME_WEIGHT}, 1), scope, id LIMIT ${CUT}`,
      )
      .pluck()
      .all({ match: terms.join(' OR '), ...(scope === undefined ? {} : { scope }) });
  }
}

/** The distinct words of a question without stop words; all words if there are no others. */
function wordsOf(question) {
  const all = question.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
  const telling = all.filter((word) => !STOP.has(word));
  return [...new Set(telling.length > 0 ? telling : all)];
}
