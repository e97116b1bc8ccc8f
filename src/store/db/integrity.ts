import { UserError } from '../../core/errors.js';
import { plural } from '../../core/plural.js';
import type { LexicalIndex } from '../index/lexical.js';
import type { Vectors } from '../index/vectors.js';
import { countDrawers } from '../tables/listing.js';
import type { Warning } from './ownership.js';
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

interface Parts {
  lexical: LexicalIndex;
  vectors: Vectors;
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
/** Vectors in a quick check, evenly spread, including the last one. */
const SAMPLED_VECTORS = 16;
const DERIVED: readonly [RegExp, Problem['kind']][] = [
  [/^lexical_/, 'lexical'],
  [/^codes$/, 'codes'],
  [/^(?:touched_files|failures)$/, 'index'],
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
  parts: Parts,
  { full = false, budgetMs = Number.POSITIVE_INFINITY }: CheckOptions = {},
): Check {
  // Every page of a mapped file would count as memory of this process: 2.1 GB for 500,000 drawers.
  sql.pragma('mmap_size = 0');
  const unchecked: string[] = [];
  const problems: Problem[] = full ? wholeFile(sql) : eachTable(sql, 'quick_check', budgetMs, unchecked);
  // Counting in damaged tables and indexes would only repeat the problem.
  if (problems.some(({ kind }) => kind === 'rows' || kind === 'index')) return { problems, unchecked };
  // On one state: another process may file between two counts. Not the pages, since no transaction ends well after damage.
  sql.read(() => compareCounts(sql, parts, full, problems));
  return { problems, unchecked };
}

/** Adds where rows and what is derived from them disagree, but for what is a problem already. */
function compareCounts(sql: Sql, { lexical, vectors }: Parts, full: boolean, problems: Problem[]): void {
  const isSound = (kind: Problem['kind']) => problems.every((problem) => problem.kind !== kind);
  const addIf = (wrong: boolean, kind: Problem['kind'], text: string) => {
    if (wrong) problems.push({ kind, text });
  };
  if (isSound('lexical')) {
    const drawers = sql.count('FROM drawers');
    const entries = Math.min(lexical.size(), sql.count('FROM lexical_index_docsize'));
    addIf(entries !== drawers, 'lexical', counted(drawers, entries));
  }
  const bare = sql.count(
    'FROM drawers d LEFT JOIN vectors v ON v.id = d.vector_id WHERE v.text_hash IS NULL',
  );
  addIf(bare > 0, 'vectors', `${plural(bare, 'drawer')} without a vector`);
  const filled = sql.count(
    `FROM vectors v WHERE v.text_hash IS NOT NULL AND NOT EXISTS (SELECT 1 FROM unfiled_vectors u
       WHERE u.text_hash = v.text_hash AND v.id NOT IN (SELECT vector_id FROM embeddings))`,
  );
  const kept = sql.count(
    `FROM vectors v JOIN embeddings e ON e.vector_id = v.id
     WHERE v.text_hash IS NOT NULL AND length(e.embedding) = ?`,
    vectors.unit().bytes,
  );
  addIf(kept !== filled, 'vectors', `${plural(filled, 'vector')}, ${kept} of them kept`);
  const stray = sql.count(
    'FROM next_embeddings n LEFT JOIN vectors v ON v.id = n.vector_id WHERE v.text_hash IS NULL',
  );
  addIf(stray > 0, 'vectors', `${plural(stray, 'vector')} of the next model without a text`);
  const broken = full ? vectors.broken() : 0;
  addIf(broken > 0, 'vectors', `${plural(broken, 'vector')} not of norm 1 and the model's dimension`);
  const wrong = isSound('codes') ? vectors.codes.wrong(full ? undefined : SAMPLED_BLOCKS) : 0;
  addIf(wrong > 0, 'codes', `${plural(wrong, 'block')} of codes not those of their vectors`);
}

/**
 * A quick check whether drawers, lexical entries, vectors and codes agree, as they are written in one transaction. Takes
 * a millisecond for any size, as it uses stored counts and a sample of vectors; `checkPalace` counts the rows.
 */
export function driftOf(sql: Sql, parts: Parts): Warning | undefined {
  const found = signs(sql, parts);
  if (found === undefined) return undefined;
  return { text: `the palace's indexes and rows disagree: ${found}`, hint: 'mempalace repair' };
}

function signs(sql: Sql, { lexical, vectors }: Parts): string | undefined {
  try {
    return sql.read(() => {
      const drawers = countDrawers(sql);
      const entries = lexical.size();
      if (entries !== drawers) return counted(drawers, entries);
      const broken = vectors.brokenOf(SAMPLED_VECTORS);
      if (broken > 0)
        return `${broken} of ${SAMPLED_VECTORS} vectors looked at are not unit vectors of the model's dimension`;
      return vectors.codes.coverLastVector() ? undefined : 'vectors without a code';
    });
  } catch (error) {
    // A command that needs the damaged part reports details; the others continue.
    if (isDamage(error)) return 'an index cannot be read';
    throw error;
  }
}

function counted(drawers: number, entries: number): string {
  return `${plural(drawers, 'drawer')}, ${plural(entries, 'lexical entry', 'lexical entries')}`;
}

function isDamage(error: unknown): boolean {
  return error instanceof UserError && error.code === 'palace-damaged';
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
    if (isDamage(error)) return undefined;
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
