import type { Priority } from '../../core/importance.js';
import type { FiledSource } from '../db/records.js';
import type { Sql } from '../db/sql.js';
import { CONTENT_DAY, conditionOf, type DrawerFilter } from '../index/filter.js';
import { diaryCondition } from './diary.js';
import { SOURCE_DAY } from './listing.js';

export interface WakeUpPlace extends Pick<DrawerFilter, 'wing' | 'without'> {
  /** Nothing that is filed in another wing, whatever it has to do with this one. */
  strict?: boolean | undefined;
  /** Folders of the user's own, whose sessions belong to the wing, too. Without a wing: nothing but these and pins. */
  own?: OwnFolders | undefined;
}

export interface OwnFolders {
  /** Sessions in exactly these. */
  folders: readonly string[];
  /** Sessions in these and below. */
  trees: readonly string[];
}

function ownCondition({ folders, trees }: OwnFolders): { sql: string; parameters: Record<string, string> } {
  const parameters: Record<string, string> = {};
  const parts = folders.map((folder, index) => {
    parameters[`folder${index}`] = folder;
    return `s.directory = @folder${index}`;
  });
  for (const [index, tree] of trees.entries()) {
    const name = `@tree${index}`;
    parameters[`tree${index}`] = tree;
    parts.push(`s.directory = ${name} OR substr(s.directory, 1, length(${name}) + 1) = ${name} || '/'`);
  }
  return { sql: parts.length === 0 ? '0' : `(${parts.join(' OR ')})`, parameters };
}

/**
 * A source with the drawer to read next (the last one of a conversation, the first one of a document), or a drawer that
 * the user marked as important.
 */
export interface Remembered
  extends Pick<FiledSource, 'sourceKey' | 'kind' | 'wing' | 'room' | 'sessionId' | 'directory'> {
  sourceId: number;
  drawerId: string;
  title: string;
  place: string;
  day: string;
  priority: Priority | null;
  pinned: number;
  /** Position of the drawer in its source's whole text, UTF-16 units. */
  start: number;
  /** Text of the drawer; for a conversation its last question, at most 200 characters, empty if there is none. */
  text: string;
}

const FACTS = `
  s.id AS sourceId, s.source_key AS sourceKey, s.kind, s.wing, s.room, s.session_id AS sessionId, s.directory`;
const SOURCE = `
  SELECT ${FACTS}, coalesce(s.title, '') AS title,
    ${SOURCE_DAY} AS day,
    coalesce(s.set_priority, s.priority) AS priority, s.pinned,
    s.content_date AS contentDate, s.source_mtime AS sourceMtime
  FROM sources s`;
/** A priority in a document or project file does not count: the user may not have written it. */
const HIGH_BY_USER = `(s.set_priority = 'high'
  OR (s.set_priority IS NULL AND s.priority = 'high' AND s.priority_from = 'approved-rule'))`;
/** The last question is searched among this many chunks at the end of a conversation. */
const LAST_CHUNKS = 50;
const LAST_QUESTION = `
  SELECT q.context FROM drawers q
  WHERE q.source_id = r.sourceId AND q.chunk_index > d.chunk_index - ${LAST_CHUNKS} AND q.context <> ''
  ORDER BY q.chunk_index DESC LIMIT 1`;
const drawerAt = (order: 'ASC' | 'DESC') =>
  `(SELECT id FROM drawers WHERE source_id = r.sourceId ORDER BY chunk_index ${order} LIMIT 1)`;

/** Where a high priority counts: everywhere in a wing and in the whole palace; else only in folders of the user's own. */
const highIn = ({ wing, own }: WakeUpPlace) =>
  wing !== undefined || own === undefined ? { sql: '1', parameters: {} } : ownCondition(own);

/** Rows for the wake-up text. Sources are found by date, marked drawers by a small index: no query scans all drawers. */
export class WakeUpRows {
  constructor(private readonly sql: Sql) {}

  /** Newest first. A wing includes sessions of other wings in the folder of one of its projects. */
  recentSessions(place: WakeUpPlace, limit: number): Remembered[] {
    if (!this.#hasSessions()) return [];
    const { wing, without, strict, own } = place;
    const among = conditionOf(strict ? { wing, without } : { without });
    const inOwn = own && ownCondition(own);
    const inWing = `s.wing = @wing OR EXISTS (SELECT 1 FROM projects p WHERE p.wing = @wing
      AND (s.directory = p.root OR substr(s.directory, 1, length(p.root) + 1) = p.root || '/'))`;
    const places = [...(wing === undefined ? [] : [inWing]), ...(inOwn === undefined ? [] : [inOwn.sql])];
    return this.#remembered(
      `s.kind = 'conversation' AND ${among.sql} ${strict || places.length === 0 ? '' : `AND (${places.join(' OR ')})`}`,
      'contentDate DESC, sourceMtime DESC, sourceId DESC',
      { ...among.parameters, ...inOwn?.parameters, wing, limit },
    );
  }

  /** Newest first: entries of one agent, in all wings unless the place is strict, or of all agents in a place. */
  recentDiary(place: WakeUpPlace, agent: string | undefined, limit: number): Remembered[] {
    const diary = diaryCondition({ agent });
    const { wing, without, strict, own } = place;
    if (wing === undefined && own !== undefined && agent === undefined) return [];
    const inPlace = agent === undefined ? { wing, without } : strict ? { wing } : {};
    const among = conditionOf(inPlace);
    return this.#remembered(`${diary.sql} AND ${among.sql}`, 'sourceMtime DESC, sourceId DESC', {
      ...among.parameters,
      ...diary.parameters,
      limit,
    });
  }

  /** Sources that the user pinned, or gave a high priority directly or by an approved rule: pinned ones, then the newest. */
  importantSources(place: WakeUpPlace, limit: number): Remembered[] {
    const among = conditionOf({ wing: place.wing, without: place.without });
    const { sql, parameters } = highIn(place);
    return this.#remembered(
      `(s.pinned = 1 OR (${HIGH_BY_USER} AND ${sql})) AND ${among.sql}`,
      'pinned DESC, contentDate DESC, sourceMtime DESC, sourceId DESC',
      { ...among.parameters, ...parameters, limit },
    );
  }

  /** Drawers that the user pinned or gave a high priority: pinned ones first, then the newest. */
  importantDrawers(place: WakeUpPlace, limit: number): Remembered[] {
    const among = conditionOf({ wing: place.wing, without: place.without });
    const { sql, parameters } = highIn(place);
    return this.sql.all<Remembered>(
      `SELECT ${FACTS}, d.drawer_id AS drawerId, d.char_start AS start, d.text, d.title, d.place, ${CONTENT_DAY} AS day,
           coalesce(d.set_priority, s.set_priority, s.priority) AS priority, d.pinned
         FROM drawers d INDEXED BY drawers_pinned CROSS JOIN sources s ON s.id = d.source_id
         WHERE (d.pinned = 1 OR d.set_priority IS NOT NULL) AND (d.pinned = 1 OR (d.set_priority = 'high' AND ${sql}))
           AND ${among.sql} ORDER BY d.pinned DESC, day DESC, d.id DESC LIMIT @limit`,
      { ...among.parameters, ...parameters, limit },
    );
  }

  /** Uses only an index: a palace of documents is not scanned for sessions. */
  #hasSessions(): boolean {
    return this.sql.has("SELECT 1 FROM sources WHERE kind = 'conversation' LIMIT 1");
  }

  /** In one statement, as the agent program waits for the result. */
  #remembered(where: string, order: string, parameters: Record<string, unknown>): Remembered[] {
    return this.sql.all<Remembered>(
      `SELECT r.*, d.drawer_id AS drawerId, d.char_start AS start, d.place,
           CASE r.kind WHEN 'conversation' THEN coalesce((${LAST_QUESTION}), '') ELSE d.text END AS text
         FROM (${SOURCE} WHERE ${where} AND s.drawers > 0 ORDER BY ${order} LIMIT @limit) r
         JOIN drawers d ON d.id = CASE r.kind
           WHEN 'conversation' THEN ${drawerAt('DESC')} ELSE ${drawerAt('ASC')} END
         ORDER BY ${order}`,
      parameters,
    );
  }
}
