import { inflateRawSync } from 'node:zlib';
import type { Priority } from '../../core/importance.js';
import { isStrings, parseStored } from '../db/json.js';
import type { DrawerDraft, FiledSource } from '../db/records.js';
import type { Sql } from '../db/sql.js';
import { CONTENT_DAY, type Condition, conditionOf, EVERYTHING, type ProjectPlace } from '../index/filter.js';
import { SOURCE } from './sources.js';

/** What a search hit shows of its source. */
type ShownSource = Pick<
  FiledSource,
  'sourceKey' | 'sourceFile' | 'origin' | 'kind' | 'textKind' | 'wing' | 'room' | 'sessionId' | 'directory'
>;

/** A drawer with the columns that a search hit shows. */
export interface DrawerView extends ShownSource, Omit<DrawerDraft, 'vectorHash' | 'start' | 'end'> {
  id: number;
  drawerId: string;
  vectorId: number;
  sourceId: number;
  title: string;
  place: string;
  sourceMtimeMs: number;
  chunkIndex: number;
  /** Date of its content, else the day of its source's last change. */
  day: string;
  dates: string;
  bigrams: string;
  /** Position in the source's whole text, UTF-16 units. */
  charStart: number;
  charEnd: number;
  /** Set by the user for the drawer, else for the source, else found in the source. */
  priority: Priority | null;
  pinned: number;
}

const COLUMNS = `
  d.id, d.drawer_id AS drawerId, d.vector_id AS vectorId, d.text, d.title, d.context, d.place, s.wing, s.room,
  s.source_key AS sourceKey, s.source_file AS sourceFile, s.origin, s.kind, s.text_kind AS textKind, s.session_id AS sessionId,
  s.directory, s.source_mtime AS sourceMtimeMs, d.chunk_index AS chunkIndex, d.line_start AS lineStart,
  d.line_end AS lineEnd, d.content_date AS contentDate, ${CONTENT_DAY} AS day, d.role, d.dates, d.bigrams,
  d.char_start AS charStart, d.char_end AS charEnd, d.source_id AS sourceId,
  coalesce(d.set_priority, s.set_priority, s.priority) AS priority, max(d.pinned, s.pinned) AS pinned`;
const DRAWERS = 'drawers d JOIN sources s ON s.id = d.source_id';
/** Selects `DrawerView`; to be followed by conditions. */
export const VIEW = `SELECT ${COLUMNS} FROM ${DRAWERS}`;

export interface Selection {
  /** Row ids of drawers. */
  ids: number[];
  /** Indexed by vector id: 1 if one of the drawers has it. */
  vectors: Uint8Array;
}

/** One in this many sources is sampled to estimate how many drawers a condition allows. */
const SAMPLE = 64;
/** The estimate is used if the sample has at least this many drawers. */
const SAMPLE_DRAWERS = 500;

/** A source with its drawers of one day. */
export interface SourceOfDay extends FiledSource {
  /** How many of its drawers are of that day. */
  drawersOfDay: number;
  /** The first of them. */
  firstDrawerId: string;
}

/** Where a stretch of a source's text is dated, by drawers. */
export interface DatedStretch {
  charStart: number;
  contentDate: string;
}

export class Reading {
  constructor(private readonly sql: Sql) {}

  /** Drawers by row id, in this order, those that the condition allows. */
  drawersById(ids: readonly number[], among = EVERYTHING): DrawerView[] {
    return this.#named(ids, 'd.id = wanted.value', among);
  }

  /** The drawers at these places. */
  drawersAt(places: readonly Pick<DrawerView, 'sourceId' | 'chunkIndex'>[]): DrawerView[] {
    const names = places.map(({ sourceId, chunkIndex }) => [sourceId, chunkIndex]);
    return this.#named(names, 'd.source_id = wanted.value ->> 0 AND d.chunk_index = wanted.value ->> 1');
  }

  /** Of each vector the drawers that share it (identical embedded text) and that the condition allows, at most `limit`. */
  drawersByVector(vectorIds: readonly number[], limit: number, among = EVERYTHING): DrawerView[] {
    const shared = `SELECT d.id FROM ${DRAWERS} WHERE d.vector_id = wanted.value AND ${among.sql} ORDER BY d.id LIMIT @limit`;
    const parameters = { limit, ...among.parameters };
    return this.#named(vectorIds, `d.id IN (${shared})`, { sql: EVERYTHING.sql, parameters });
  }

  /** In one query, in the order of the names. @param match condition on `drawers d` and a name, `wanted.value` */
  #named(
    names: readonly unknown[],
    match: string,
    among: { sql: string; parameters: Record<string, unknown> } = EVERYTHING,
  ): DrawerView[] {
    if (names.length === 0) return [];
    return this.sql.all<DrawerView>(
      `SELECT ${COLUMNS} FROM json_each(@wanted) wanted CROSS JOIN drawers d ON ${match}
         JOIN sources s ON s.id = d.source_id WHERE ${among.sql} ORDER BY wanted.key, d.id`,
      { wanted: JSON.stringify(names), ...among.parameters },
    );
  }

  /**
   * Row ids of drawers that a condition allows, in the order of what names them.
   *
   * @param by what names them: row ids, or ids of their vectors
   */
  allowed(by: 'id' | 'vector_id', ids: readonly number[], among: Condition, limit = -1): number[] {
    return this.sql.values<number>(
      `SELECT d.id FROM json_each(@ids) wanted CROSS JOIN drawers d ON d.${by} = wanted.value
         JOIN sources s ON s.id = d.source_id WHERE ${among.sql} ORDER BY wanted.key, d.id LIMIT @limit`,
      { ids: JSON.stringify(ids), limit, ...among.parameters },
    );
  }

  /** Number of sources with drawers that a condition allows, counted up to `most`. */
  countSources(among: Condition, most: number): number {
    return this.sql.count(
      `FROM (SELECT DISTINCT d.source_id FROM sources s JOIN drawers d ON d.source_id = s.id
         WHERE ${among.sql} LIMIT @most)`,
      { most, ...among.parameters },
    );
  }

  /** Whether there are sources of the projects, and also others. */
  hasOthersToo(projects: readonly ProjectPlace[]): boolean {
    const { sql, parameters } = conditionOf({ projects });
    const some = (condition: string): boolean =>
      this.sql.has(`SELECT 1 FROM sources s WHERE ${condition} LIMIT 1`, parameters);
    return some(sql) && some(`(${sql}) IS NOT TRUE`);
  }

  /** The drawers that the condition allows. Reads an index only, as JSON: four times as fast as rows for 100,000. */
  select(among: Condition): Selection {
    const last = this.sql.value<number | null>('SELECT max(id) FROM vectors') ?? 0;
    const vectors = new Uint8Array(last + 1);
    const row = this.sql.get<{ ids: string; vectorIds: string }>(
      `SELECT json_group_array(d.id) AS ids, json_group_array(d.vector_id) AS vectorIds
       FROM sources s JOIN drawers d ON d.source_id = s.id WHERE ${among.sql}`,
      among.parameters,
    );
    for (const id of JSON.parse(row?.vectorIds ?? '[]') as number[]) vectors[id] = 1;
    return { ids: JSON.parse(row?.ids ?? '[]') as number[], vectors };
  }

  /**
   * The share of all drawers that a condition allows, 0–1, from a sample of the sources; undefined in a palace too
   * small for one, where `select` costs nothing.
   */
  shareOf(among: Condition): number | undefined {
    const row = this.sql.get<{ allowed: number | null; sampled: number }>(
      `SELECT sum(${among.sql}) AS allowed, count(*) AS sampled
       FROM sources s CROSS JOIN drawers d ON d.source_id = s.id WHERE s.id % ${SAMPLE} = 0`,
      among.parameters,
    );
    const { allowed, sampled } = row ?? { allowed: 0, sampled: 0 };
    return sampled < SAMPLE_DRAWERS ? undefined : (allowed ?? 0) / sampled;
  }

  /** Drawers by id, those that the condition allows. */
  drawersByPrefix(prefix: string, limit: number, among = EVERYTHING): DrawerView[] {
    return this.sql.all<DrawerView>(
      `${VIEW} WHERE d.drawer_id >= @prefix AND d.drawer_id < @prefix || char(1114111) AND ${among.sql}
         ORDER BY d.drawer_id LIMIT @limit`,
      { prefix, limit, ...among.parameters },
    );
  }

  /** The row ids of the drawers of sources, by source id. Reads an index only. */
  rowsOf(sourceIds: readonly number[]): Map<number, number[]> {
    const rows = this.sql.all<{ source: number; ids: string }>(
      `SELECT source_id AS source, json_group_array(id) AS ids FROM drawers
         WHERE source_id IN (SELECT value FROM json_each(?)) GROUP BY source_id`,
      JSON.stringify(sourceIds),
    );
    return new Map(rows.map(({ source, ids }) => [source, JSON.parse(ids) as number[]]));
  }

  /** Drawers of a source with a `chunkIndex` from `first` to `last`, in order, those that the condition allows. */
  drawersBetween(sourceId: number, first: number, last: number, among = EVERYTHING): DrawerView[] {
    return this.sql.all<DrawerView>(
      `${VIEW} WHERE d.source_id = @sourceId AND d.chunk_index BETWEEN @first AND @last AND ${among.sql}
         ORDER BY d.chunk_index`,
      { sourceId, first, last, ...among.parameters },
    );
  }

  /** Drawers of a source with text on the lines from `first` to `last`, in order. */
  drawersOnLines(sourceId: number, first: number, last: number): DrawerView[] {
    return this.sql.all<DrawerView>(
      `${VIEW} WHERE d.source_id = @sourceId AND d.line_start <= @last AND d.line_end >= @first
         ORDER BY d.chunk_index`,
      { sourceId, first, last },
    );
  }

  /** The first drawer of a source, alone; empty for a source without text. */
  firstDrawerOf(sourceKey: string): string[] {
    return this.sql.values<string>(
      `SELECT d.drawer_id FROM sources s JOIN drawers d ON d.source_id = s.id
         WHERE s.source_key = ? ORDER BY d.chunk_index LIMIT 1`,
      sourceKey,
    );
  }

  /** Those of these drawers that exist. */
  existing(drawerIds: readonly string[]): Set<string> {
    return new Set(
      this.sql.values<string>(
        'SELECT d.drawer_id FROM json_each(?) wanted CROSS JOIN drawers d ON d.drawer_id = wanted.value',
        JSON.stringify(drawerIds),
      ),
    );
  }

  /** Sources with this key, session id, `source_file` or origin, of all wings or one. */
  sourcesNamed(name: string, wing?: string): FiledSource[] {
    return this.sql.all<FiledSource>(
      `SELECT ${SOURCE} FROM sources s
         WHERE (s.source_key = @name OR s.session_id = @name OR s.source_file = @name OR s.origin = @name)
           AND (@wing IS NULL OR s.wing = @wing)
         ORDER BY s.source_file, s.id`,
      { name, wing },
    );
  }

  /** Sources whose `source_file` ends with a slash and `tail`, of all wings or one. */
  sourcesEndingWith(tail: string, limit: number, wing?: string): FiledSource[] {
    return this.sql.all<FiledSource>(
      `SELECT ${SOURCE} FROM sources s WHERE substr(s.source_file, -length(@tail)) = @tail
           AND (@wing IS NULL OR s.wing = @wing)
         ORDER BY s.source_file, s.id LIMIT @limit`,
      { tail: `/${tail}`, limit, wing },
    );
  }

  /**
   * The drawer with the text that had this name in another program, before it was imported. Reads the names of all
   * imported sources.
   *
   * @param prefix of the keys of imported sources
   * @param wing default: all
   */
  drawerAliased(name: string, prefix: string, wing?: string): DrawerView | undefined {
    const rows = this.sql.all<{ id: number; names: Buffer }>(
      `SELECT id, messages AS names FROM sources
       WHERE substr(source_key, 1, length(@prefix)) = @prefix AND messages IS NOT NULL
         AND (@wing IS NULL OR wing = @wing)`,
      { prefix, wing },
    );
    const written = JSON.stringify(`${name}@`).slice(1, -1);
    for (const { id, names } of rows) {
      const text = inflateRawSync(names).toString('utf8');
      if (!text.includes(written)) continue;
      const alias = parseStored(text, 'list of names', isStrings).find(
        (each) => each.slice(0, each.lastIndexOf('@')) === name,
      );
      const at = alias === undefined ? Number.NaN : Number(alias.slice(name.length + 1));
      const drawer = this.sql.get<DrawerView>(
        `${VIEW} WHERE d.source_id = ? AND d.char_end > ? ORDER BY d.chunk_index LIMIT 1`,
        id,
        at,
      );
      if (drawer !== undefined) return drawer;
    }
    return undefined;
  }

  /**
   * Row ids of the documents of a project that may contain a link. Reads their drawers.
   *
   * @param names only drawers that contain one of these, in lower case
   */
  sourcesWithLinks(projectId: string, names?: readonly string[]): number[] {
    return this.sql.values<number>(
      `SELECT s.id FROM sources s WHERE s.project_id = @projectId AND EXISTS (
         SELECT 1 FROM drawers d WHERE d.source_id = s.id AND (instr(d.text, '[[') > 0 OR instr(d.text, '](') > 0
             OR instr(d.text, ']:') > 0 OR instr(lower(d.text), 'href') > 0 OR instr(lower(d.text), 'src') > 0)
           AND (@names IS NULL OR EXISTS (SELECT 1 FROM json_each(@names) n WHERE instr(lower(d.text), n.value) > 0))
       )`,
      { projectId, names: names === undefined ? null : JSON.stringify(names) },
    );
  }

  /** First drawers of a project's documents that have front matter with a key that begins with `alias`. */
  beginningsWithAliases(projectId: string): { sourceId: number; text: string }[] {
    return this.sql.all<{ sourceId: number; text: string }>(
      `SELECT d.source_id AS sourceId, d.text FROM drawers d JOIN sources s ON s.id = d.source_id
         WHERE s.project_id = ? AND d.chunk_index = 0 AND (d.text LIKE '---%alias%' OR d.text LIKE '+++%alias%')
         ORDER BY d.source_id`,
      projectId,
    );
  }

  source(id: number): FiledSource | undefined {
    return this.sql.get<FiledSource>(`SELECT ${SOURCE} FROM sources s WHERE s.id = ?`, id);
  }

  /**
   * Other sources with content of a day, of all wings or one, and their total number: conversations first, then by number
   * of drawers of that day. A drawer without a date belongs to the day of its source's last change.
   */
  sourcesOfDay(
    { day, wing }: { day: string; wing?: string | undefined },
    exceptSource: number,
    limit: number,
  ): { sources: SourceOfDay[]; total: number } {
    // In local time. A day may have 25 hours.
    const from = Date.parse(`${day}T00:00:00.000`);
    const rows = this.sql.all<SourceOfDay & { total: number }>(
      `WITH of_day AS (
           SELECT source_id, id, chunk_index FROM drawers WHERE content_date = @day
           UNION ALL
           SELECT d.source_id, d.id, d.chunk_index
           FROM sources s JOIN drawers d ON d.source_id = s.id AND d.content_date IS NULL
           WHERE s.source_mtime >= @from AND s.source_mtime < @from + 90000000 AND ${CONTENT_DAY} = @day
         ), counted AS (
           SELECT source_id, count(*) AS n, min(chunk_index) AS first FROM of_day
           WHERE source_id <> @exceptSource GROUP BY source_id
         )
         SELECT ${SOURCE}, c.n AS drawersOfDay, count(*) OVER () AS total,
           (SELECT drawer_id FROM drawers d WHERE d.source_id = s.id AND d.chunk_index = c.first) AS firstDrawerId
         FROM counted c JOIN sources s ON s.id = c.source_id WHERE @wing IS NULL OR s.wing = @wing
         ORDER BY s.kind, c.n DESC, s.source_file, s.id LIMIT @limit`,
      { day, wing, from: Number.isNaN(from) ? 0 : from, exceptSource, limit },
    );
    return { sources: rows.map(({ total: _, ...source }) => source), total: rows[0]?.total ?? 0 };
  }

  /** Start and date of each drawer with a date, in order. */
  datesOf(sourceId: number): DatedStretch[] {
    return this.sql.all<DatedStretch>(
      `SELECT char_start AS charStart, content_date AS contentDate FROM drawers
         WHERE source_id = ? AND content_date IS NOT NULL ORDER BY chunk_index`,
      sourceId,
    );
  }
}
