import type Database from 'better-sqlite3';
import { z } from 'zod';
import { UserError } from '../../core/errors.js';
import { columnsOf, tablesOf } from './open.js';

/** Metadata of a drawer that an import uses. */
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

/** A drawer of MemPalace, without its text. */
export interface TheirDrawer {
  /** Id in the table `embeddings`. */
  row: number;
  id: string;
  facts: DrawerFacts;
}

/** The drawers of one collection. Other collections contain data derived from the drawers. */
export interface TheirDrawers {
  collection: string | null;
  drawers: TheirDrawer[];
  /** Numbers of other rows, by kind. */
  dropped: Record<string, number>;
  /** Ids, or row numbers, of rows that cannot be read. */
  unread: string[];
}

const DRAWERS = 'mempalace_drawers';
const CLOSETS = 'mempalace_closets';
const DOCUMENT = 'chroma:document';
const OF_NONE = 'of no collection';

const embeddingRow = z.object({ row: z.number(), id: z.string().min(1), segment: z.unknown() });
const metadataRow = z.object({
  row: z.number(),
  key: z.string(),
  string_value: z.string().nullable().catch(null),
  int_value: z.number().nullable().catch(null),
  float_value: z.number().nullable().catch(null),
});

/**
 * @param wanted the collection. Default: MemPalace's own, or the only one that is not for closets
 * @throws UserError `usage` when there is no such collection, or several
 */
export function theirDrawers(database: Database.Database, wanted: string | undefined): TheirDrawers {
  const segments = segmentsOf(database);
  const collection = segments === undefined ? null : chosen(new Set(segments.values()), wanted);
  const result: TheirDrawers = { collection, drawers: [], dropped: {}, unread: [] };
  const facts = factsByRow(database);
  const rows = database.prepare(
    'SELECT id AS row, embedding_id AS id, segment_id AS segment FROM embeddings',
  );
  for (const raw of rows.iterate()) {
    const parsed = embeddingRow.safeParse(raw);
    if (!parsed.success) {
      result.unread.push(`row ${z.object({ row: z.unknown() }).safeParse(raw).data?.row ?? '?'}`);
      continue;
    }
    const { row, id, segment } = parsed.data;
    const drawer = { row, id, facts: factsOfDrawer.parse(facts.get(row) ?? {}) };
    const of = segments === undefined ? collection : segments.get(String(segment));
    const why = reasonToDrop(drawer, of, collection);
    if (why === undefined) result.drawers.push(drawer);
    else result.dropped[why] = (result.dropped[why] ?? 0) + 1;
  }
  const orphans = result.dropped[OF_NONE] ?? 0;
  if (orphans > 0) result.unread.push(`${orphans} of no collection`);
  return result;
}

/** Larger texts are not loaded. MemPalace's drawers have 800 characters. */
const TEXT_LIMIT_BYTES = 32 * 1024 * 1024;

const textRow = z.tuple([z.string().nullable().catch(null), z.number().nullable()]);

/** The text of a drawer, or the reason why it is missing. */
export function textOf(database: Database.Database, row: number): { text: string } | { why: string } {
  const found = database
    .prepare(
      `SELECT CASE WHEN octet_length(string_value) <= ${TEXT_LIMIT_BYTES} THEN string_value END,
         octet_length(string_value) FROM embedding_metadata WHERE id = ? AND key = ?`,
    )
    .raw()
    .get(row, DOCUMENT);
  const [text, bytes] = textRow.safeParse(found).data ?? [null, null];
  if (text !== null) return { text };
  return { why: (bytes ?? 0) > TEXT_LIMIT_BYTES ? 'drawer over 32 MB' : 'drawer without a text' };
}

/** Collections by segment. Undefined for a version without these tables. */
function segmentsOf(database: Database.Database): Map<string, string> | undefined {
  const tables = tablesOf(database);
  if (!tables.has('segments') || !tables.has('collections')) return undefined;
  const rows = database
    .prepare('SELECT s.id, c.name FROM segments s JOIN collections c ON c.id = s.collection')
    .raw();
  const segments = new Map<string, string>();
  for (const row of rows.iterate()) {
    const { data } = z.tuple([z.string(), z.string()]).safeParse(row);
    // Rows of an unreadable segment are reported as `of no collection`.
    if (data !== undefined) segments.set(...data);
  }
  return segments;
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

type Values = Partial<Record<string, string | number>>;

/** The metadata of `factsOfDrawer` by row. Lists and booleans are ignored. */
function factsByRow(database: Database.Database): Map<number, Values> {
  const columns = columnsOf(database, 'embedding_metadata');
  const values = ['string_value', 'int_value', 'float_value'].map((name) =>
    columns.has(name) ? name : `NULL AS ${name}`,
  );
  const keys = Object.keys(factsOfDrawer.shape);
  const rows = database.prepare(
    `SELECT id AS row, key, ${values.join(', ')} FROM embedding_metadata
     WHERE key IN (${keys.map(() => '?').join(', ')})`,
  );
  const facts = new Map<number, Values>();
  for (const raw of rows.iterate(...keys)) {
    const { data } = metadataRow.safeParse(raw);
    if (data === undefined) continue;
    const value = data.string_value ?? data.int_value ?? data.float_value;
    if (value === null) continue;
    const known = facts.get(data.row);
    if (known === undefined) facts.set(data.row, { [data.key]: value });
    else known[data.key] = value;
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
