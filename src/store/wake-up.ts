import { diaryCondition } from './diary.js';
import { CONTENT_DAY, type Condition, conditionOf, type DrawerFilter } from './filter.js';
import type { Sql } from './sql.js';

/** Which part of the palace somebody wakes up in. */
export type WakeUpPlace = Pick<DrawerFilter, 'wing' | 'without'>;

interface SourceFacts {
  sourceId: number;
  sourceKey: string;
  kind: string;
  wing: string;
  room: string;
  title: string;
  place: string;
  sessionId: string | null;
  directory: string | null;
  day: string;
  priority: string | null;
  pinned: number;
}

/** A source, and where to read on in it. */
export interface RememberedSource extends SourceFacts {
  /** Of a conversation the last drawer, of a document the first. */
  drawerId: string;
  text: string;
  /** Of a conversation: the last question in it, at most 200 characters; empty when it has none. */
  question: string;
  drawers: number;
}

/** A drawer that a person marked as important. */
export interface RememberedDrawer extends SourceFacts {
  drawerId: string;
  text: string;
}

type SourceRow = Omit<RememberedSource, 'drawerId' | 'text' | 'question' | 'place'>;

const FACTS = `
  s.id AS sourceId, s.source_key AS sourceKey, s.kind, s.wing, s.room, s.session_id AS sessionId, s.directory`;
const SOURCE = `
  SELECT ${FACTS}, coalesce(s.title, '') AS title, s.drawers,
    coalesce(s.content_date, date(s.source_mtime / 1000, 'unixepoch')) AS day,
    coalesce(s.set_priority, s.priority) AS priority, s.pinned
  FROM sources s`;
/** Chunks of a conversation's end among which the last question is looked for. */
const LAST_CHUNKS = 50;

/**
 * What an agent is told at the start. Sources are found by date, marked drawers by their own small index: no
 * query walks over drawers, whatever the palace holds.
 */
export class WakeUpRows {
  readonly #sql: Sql;

  constructor(sql: Sql) {
    this.#sql = sql;
  }

  /**
   * The sessions of the last days, newest first. With a wing also those that were held, wherever they are
   * filed, in the folder of a project of that wing.
   */
  recentSessions(place: WakeUpPlace, limit: number): RememberedSource[] {
    if (!this.#holdsSessions()) return [];
    const among = conditionOf({ without: place.without });
    const inWing = `(s.wing = @wing OR EXISTS (SELECT 1 FROM projects p WHERE p.wing = @wing
      AND (s.directory = p.root OR substr(s.directory, 1, length(p.root) + 1) = p.root || '/')))`;
    return this.#sql
      .prepare<SourceRow>(
        `${SOURCE} WHERE s.kind = 'conversation' AND s.drawers > 0
           ${andOf(among)} ${place.wing === undefined ? '' : `AND ${inWing}`}
         ORDER BY s.content_date DESC, s.source_mtime DESC LIMIT @limit`,
      )
      .all({ ...among?.parameters, ...(place.wing === undefined ? {} : { wing: place.wing }), limit })
      .flatMap((row) => this.#withDrawer(row));
  }

  /** Diary entries, the newest first: of one agent, wherever they are filed, or of a place. */
  recentDiary(place: WakeUpPlace, agent: string | undefined, limit: number): RememberedSource[] {
    const diary = diaryCondition({ agent });
    const among = agent === undefined ? conditionOf(place) : undefined;
    return this.#sql
      .prepare<SourceRow>(
        `${SOURCE} WHERE ${diary.sql} AND s.drawers > 0 ${andOf(among)}
         ORDER BY s.source_mtime DESC, s.id DESC LIMIT @limit`,
      )
      .all({ ...among?.parameters, ...diary.parameters, limit })
      .flatMap((row) => this.#withDrawer(row));
  }

  /** Sources that are pinned or of high priority: pinned ones first, then the newest. */
  importantSources(place: WakeUpPlace, limit: number): RememberedSource[] {
    const among = conditionOf(place);
    return this.#sql
      .prepare<SourceRow>(
        `${SOURCE} WHERE (s.pinned = 1 OR coalesce(s.set_priority, s.priority) = 'high') AND s.drawers > 0
           ${andOf(among)} ORDER BY s.pinned DESC, s.content_date DESC, s.source_mtime DESC LIMIT @limit`,
      )
      .all({ ...among?.parameters, limit })
      .flatMap((row) => this.#withDrawer(row));
  }

  /** Drawers that are pinned or of high priority themselves: pinned ones first, then the newest. */
  importantDrawers(place: WakeUpPlace, limit: number): RememberedDrawer[] {
    const among = conditionOf(place);
    return this.#sql
      .prepare<RememberedDrawer>(
        `SELECT ${FACTS}, d.drawer_id AS drawerId, d.text, d.title, d.place, ${CONTENT_DAY} AS day,
           coalesce(d.set_priority, s.set_priority, s.priority) AS priority, d.pinned
         FROM drawers d INDEXED BY drawers_pinned CROSS JOIN sources s ON s.id = d.source_id
         WHERE (d.pinned = 1 OR d.set_priority IS NOT NULL) AND (d.pinned = 1 OR d.set_priority = 'high')
           ${andOf(among)} ORDER BY d.pinned DESC, day DESC, d.id DESC LIMIT @limit`,
      )
      .all({ ...among?.parameters, limit });
  }

  /** From the counts' index alone: a palace of documents is not searched for sessions row by row. */
  #holdsSessions(): boolean {
    const row = this.#sql
      .prepare<{ held: number }>("SELECT EXISTS (SELECT 1 FROM sources WHERE kind = 'conversation') AS held")
      .get();
    return row?.held === 1;
  }

  #withDrawer(row: SourceRow): RememberedSource[] {
    const order = row.kind === 'conversation' ? 'DESC' : 'ASC';
    const drawer = this.#sql
      .prepare<{ drawerId: string; text: string; place: string; chunkIndex: number }>(
        `SELECT drawer_id AS drawerId, text, place, chunk_index AS chunkIndex FROM drawers WHERE source_id = ?
         ORDER BY chunk_index ${order} LIMIT 1`,
      )
      .get(row.sourceId);
    if (drawer === undefined) return [];
    const { drawerId, text, place, chunkIndex } = drawer;
    const question = row.kind === 'conversation' ? this.#lastQuestion(row.sourceId, chunkIndex) : '';
    return [{ ...row, drawerId, text, place, question }];
  }

  #lastQuestion(sourceId: number, lastChunk: number): string {
    const row = this.#sql
      .prepare<{ context: string }>(
        `SELECT context FROM drawers WHERE source_id = ? AND chunk_index > ? AND context <> ''
         ORDER BY chunk_index DESC LIMIT 1`,
      )
      .get(sourceId, lastChunk - LAST_CHUNKS);
    return row?.context ?? '';
  }
}

function andOf(among: Condition | undefined): string {
  return among === undefined ? '' : `AND ${among.sql}`;
}
