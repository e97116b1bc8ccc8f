import type Database from 'better-sqlite3';
import { z } from 'zod';
import { UserError } from '../../core/errors.js';
import { columnsOf, tablesOf } from './open.js';

const DRAWERS = 'mempalace_drawers';
const CLOSETS = 'mempalace_closets';
const DOCUMENT = 'chroma:document';
const OF_NONE = 'of no collection';
/** Larger texts are not loaded. MemPalace's drawers have 800 characters. */
const TEXT_LIMIT_BYTES = 32 * 1024 * 1024;

/** Metadata of a drawer that an import uses. Lists and booleans are ignored. */
const text = z.string().min(1).optional().catch(undefined);
const number = z.number().optional().catch(undefined);
const factsOfDrawer = z.object({
  wing: text,
  room: text,
  source_file: text,
  source_mtime: number,
  chunk_index: number,
  entry_index: number,
  entry_chunk_index: number,
  parent_drawer_id: text,
  parent_entry_id: text,
  content_date: text,
  date: text,
  timestamp: text,
  filed_at: text,
  ingest_mode: text,
  extract_mode: text,
  session_id: text,
  message_uuid: text,
  topic: text,
  type: text,
});
export type DrawerFacts = z.infer<typeof factsOfDrawer>;

export interface TheirDrawer {
  /** Id in the table `embeddings`. */
  row: number;
  id: string;
  facts: DrawerFacts;
}
const embeddingRow = z.object({ row: z.number(), id: z.string().min(1), segment: z.unknown() });

/**
 * @param wanted the collection. Default: MemPalace's own, or the only one that is not for closets
 * @returns the drawers of the collection (null for a version without collections), the numbers of other rows by kind,
 *   and the ids or row numbers of rows that cannot be read
 * @throws UserError `usage` when there is no such collection, or several
 */
export function theirDrawers(database: Database.Database, wanted: string | undefined) {
  const segments = segmentsOf(database);
  const collection = segments === undefined ? null : chosen(new Set(segments.values()), wanted);
  const drawers: TheirDrawer[] = [];
  const dropped: Record<string, number> = {};
  const unread: string[] = [];
  const facts = factsByRow(database);
  const rows = database.prepare<[], { row: unknown }>(
    'SELECT id AS row, embedding_id AS id, segment_id AS segment FROM embeddings',
  );
  for (const raw of rows.iterate()) {
    const { data } = embeddingRow.safeParse(raw);
    if (data === undefined) {
      unread.push(`row ${raw.row}`);
      continue;
    }
    const { row, id, segment } = data;
    const drawer = { row, id, facts: factsOfDrawer.parse(facts.get(row) ?? {}) };
    const of = segments === undefined ? collection : segments.get(segment);
    const why = reasonToDrop(drawer, of, collection);
    if (why === undefined) drawers.push(drawer);
    else dropped[why] = (dropped[why] ?? 0) + 1;
  }
  // Rows of an unreadable segment are among them.
  const orphans = dropped[OF_NONE] ?? 0;
  if (orphans > 0) unread.push(`${orphans} ${OF_NONE}`);
  return { collection, drawers, dropped, unread };
}

export function textOf(database: Database.Database, row: number): { text: string } | { why: string } {
  const found = database
    .prepare(
      `SELECT CASE WHEN octet_length(string_value) > ${TEXT_LIMIT_BYTES} THEN 0 ELSE string_value END
       FROM embedding_metadata WHERE id = ? AND key = ?`,
    )
    .pluck()
    .get(row, DOCUMENT);
  if (typeof found === 'string') return { text: found };
  return { why: found === 0 ? 'drawer over 32 MB' : 'drawer without a text' };
}

/** Collections by segment; undefined for a version without them. */
function segmentsOf(database: Database.Database): Map<unknown, string> | undefined {
  const tables = tablesOf(database);
  if (!tables.has('segments') || !tables.has('collections')) return undefined;
  const rows = database.prepare<[], [unknown, string]>(
    `SELECT s.id, c.name FROM segments s JOIN collections c ON c.id = s.collection
     WHERE typeof(c.name) = 'text'`,
  );
  return new Map(rows.raw().all());
}

function chosen(names: ReadonlySet<string>, wanted: string | undefined): string {
  const listed = [...names].sort().join(', ');
  if (wanted !== undefined) {
    if (names.has(wanted)) return wanted;
    throw new UserError('usage', `there is no collection ${JSON.stringify(wanted)}`, {
      hint: `it has ${listed}`,
    });
  }
  if (names.has(DRAWERS)) return DRAWERS;
  const [only, ...others] = [...names].filter((name) => name !== CLOSETS);
  if (only !== undefined && others.length === 0) return only;
  throw new UserError('usage', 'which of its collections contains the drawers?', {
    hint: only === undefined ? 'it has none' : `name one with --collection: ${listed}`,
  });
}

/** The metadata of `factsOfDrawer` by row, not checked. */
function factsByRow(database: Database.Database): Map<unknown, Record<string, unknown>> {
  const columns = columnsOf(database, 'embedding_metadata');
  const values = ['string_value', 'int_value', 'float_value'].filter((name) => columns.has(name));
  const keys = Object.keys(factsOfDrawer.shape);
  const rows = database.prepare<string[], { row: unknown; key: string; value: unknown }>(
    `SELECT id AS row, key, coalesce(${values.join(', ')}, NULL) AS value FROM embedding_metadata
     WHERE key IN (${keys.map(() => '?').join(', ')})`,
  );
  const facts = new Map<unknown, Record<string, unknown>>();
  for (const { row, key, value } of rows.iterate(...keys)) {
    const known = facts.get(row) ?? {};
    known[key] = value;
    facts.set(row, known);
  }
  return facts;
}

function reasonToDrop(
  { id, facts }: TheirDrawer,
  actual: string | null | undefined,
  wanted: string | null,
): string | undefined {
  if (actual === CLOSETS || (wanted === null && id.startsWith('closet_'))) return 'closet';
  if (actual !== wanted) return actual === undefined ? OF_NONE : 'of another collection';
  const sentinel = id.startsWith('_reg_') || facts.room === '_registry' || facts.ingest_mode === 'registry';
  return sentinel ? 'registry sentinel' : undefined;
}
