import { UserError } from '../../core/errors.js';
import { plural } from '../../core/plural.js';
import type { LexicalIndex } from '../index/lexical.js';
import type { Vectors } from '../index/vectors.js';
import type { Sql } from './sql.js';

/**
 * The kind says how to repair the problem: `rows` only from a backup; `index`, `lexical` and `codes` from the rows;
 * `vectors` by embedding the texts again.
 */
export interface Problem {
  kind: 'rows' | 'index' | 'lexical' | 'codes' | 'vectors';
  text: string;
}

export interface CheckOptions {
  /** Every page, every index against its rows, all vectors and codes. (9 s for 500,000 drawers, where the file is in memory.) */
  full?: boolean;
  /** Without `full`: tables that were not started within this time are left out. */
  budgetMs?: number;
}

export interface Check {
  problems: Problem[];
  /** Tables that were left out for lack of time. */
  unchecked: string[];
}

interface Tree {
  name: string;
  type: string;
  root: number;
}

/** Blocks of codes in a check that is not full: 16,000 vectors, read in 50 ms. */
const SAMPLED_BLOCKS = 64;
const DERIVED: readonly [RegExp, Problem['kind']][] = [
  [/^lexical_/, 'lexical'],
  [/^codes$/, 'codes'],
];
/** A repair that was killed before it rewrote the file leaves unused pages. */
const UNUSED_PAGE = /^Page \d+:? (?:is )?never used$/;
/** SQLite's messages about an index whose entries differ from the rows. */
const INDEX_DIFFERS = /\b(?:missing from|of entries in|non-unique entry in) index \S+/;

/**
 * Looks for damage without changing anything. Without `full`, walks each table's pages (1.3 s for 500,000 drawers),
 * compares counts (2 s), and a sample of the codes.
 */
export function checkPalace(
  sql: Sql,
  parts: { lexical: LexicalIndex; vectors: Vectors; dimension: number },
  { full = false, budgetMs = Number.POSITIVE_INFINITY }: CheckOptions = {},
): Check {
  const unchecked: string[] = [];
  const problems: Problem[] = full ? wholeFile(sql) : eachTable(sql, 'quick_check', budgetMs, unchecked);
  // Counting in damaged tables and indexes would only repeat the problem.
  if (problems.every(({ kind }) => kind !== 'rows' && kind !== 'index')) {
    problems.push(...counts(sql, parts, problems));
    if (full) problems.push(...norms(parts));
    if (!problems.some((problem) => problem.kind === 'codes')) problems.push(...codes(parts, full));
  }
  return { problems, unchecked };
}

function wholeFile(sql: Sql): Problem[] {
  const lines = linesOf(sql, 'PRAGMA integrity_check') ?? ['the file cannot be read'];
  if (lines.length === 0) return [];
  const found = eachTable(sql, 'integrity_check', Number.POSITIVE_INFINITY, []);
  // Problems outside of any table, such as in the list of free pages.
  const loose = (text: string): Problem => ({ kind: UNUSED_PAGE.test(text) ? 'index' : 'rows', text });
  return found.length > 0 ? found : lines.map(loose);
}

function eachTable(sql: Sql, pragma: string, budgetMs: number, unchecked: string[]): Problem[] {
  const started = performance.now();
  const trees = sql.all<Tree>(
    `SELECT name, type, rootpage AS root FROM sqlite_master
       WHERE type IN ('table', 'index') AND name NOT IN (SELECT name FROM sqlite_master WHERE sql LIKE '%fts5vocab%')
       ORDER BY rootpage`,
  );
  const problems: Problem[] = [];
  for (const { name, root } of trees.filter(({ type }) => type === 'table')) {
    // FTS5's own check reads the whole index: 3.4 s for 500,000 drawers, its tables 0.1 s.
    if (root === 0 && pragma === 'quick_check') continue;
    if (performance.now() - started > budgetMs) {
      unchecked.push(name);
      continue;
    }
    const quoted = `"${name.replaceAll('"', '""')}"`;
    let lines = linesOf(sql, `PRAGMA ${pragma}(${quoted})`);
    // If comparing an index with its table fails, walking the pages names the damaged index.
    if (lines === undefined && root > 0) lines = linesOf(sql, `PRAGMA quick_check(${quoted})`);
    for (const text of lines ?? [`table ${name} cannot be read`])
      problems.push({ kind: kindOf(text, name, trees), text });
  }
  return problems;
}

/** Problems that a pragma reports; undefined when damage makes it fail. */
function linesOf(sql: Sql, pragma: string): string[] | undefined {
  try {
    return sql
      .values<string>(pragma)
      .flatMap((text) => text.split('\n'))
      .filter((line) => line !== 'ok' && line !== '' && !line.startsWith('***'));
  } catch (error) {
    if (error instanceof UserError && error.code === 'palace-damaged') return undefined;
    throw error;
  }
}

function kindOf(text: string, table: string, trees: readonly Tree[]): Problem['kind'] {
  const derived = DERIVED.find(([pattern]) => pattern.test(table));
  if (derived !== undefined) return derived[1];
  const root = /^Tree (\d+) /.exec(text)?.[1];
  const tree = trees.find((each) => each.root === Number(root));
  return tree?.type === 'index' || INDEX_DIFFERS.test(text) ? 'index' : 'rows';
}

function counts(
  sql: Sql,
  { lexical, dimension }: { lexical: LexicalIndex; dimension: number },
  found: readonly Problem[],
): Problem[] {
  const count = (query: string, ...parameters: unknown[]) =>
    sql.value<number>(`SELECT count(*) AS n ${query}`, ...parameters) ?? 0;
  const problems: Problem[] = [];
  const drawers = count('FROM drawers');
  if (!found.some(({ kind }) => kind === 'lexical')) {
    const entries = Math.min(lexical.size(), count('FROM lexical_index_docsize'));
    if (entries !== drawers)
      problems.push({
        kind: 'lexical',
        text: `${plural(drawers, 'drawer')}, ${plural(entries, 'lexical entry', 'lexical entries')}`,
      });
  }
  const bare = count('FROM drawers d LEFT JOIN vectors v ON v.id = d.vector_id WHERE v.text_hash IS NULL');
  if (bare > 0) problems.push({ kind: 'vectors', text: `${plural(bare, 'drawer')} without a vector` });
  const filled = count('FROM vectors WHERE text_hash IS NOT NULL');
  const kept = count(
    `FROM vectors v JOIN embeddings e ON e.vector_id = v.id
     WHERE v.text_hash IS NOT NULL AND length(e.embedding) = ?`,
    dimension * 4,
  );
  if (kept !== filled)
    problems.push({ kind: 'vectors', text: `${plural(filled, 'vector')}, ${kept} of them kept` });
  const stray = count(
    'FROM next_embeddings n LEFT JOIN vectors v ON v.id = n.vector_id WHERE v.text_hash IS NULL',
  );
  if (stray > 0)
    problems.push({ kind: 'vectors', text: `${plural(stray, 'vector')} of the next model without a text` });
  return problems;
}

function norms({ vectors }: { vectors: Vectors }): Problem[] {
  const broken = vectors.broken();
  if (broken === 0) return [];
  return [{ kind: 'vectors', text: `${plural(broken, 'vector')} not of norm 1 and the model's dimension` }];
}

function codes({ vectors }: { vectors: Vectors }, full: boolean): Problem[] {
  const wrong = vectors.codes.wrong(full ? undefined : SAMPLED_BLOCKS);
  if (wrong === 0) return [];
  return [{ kind: 'codes', text: `${plural(wrong, 'block')} of codes not those of their vectors` }];
}
