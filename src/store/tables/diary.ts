import { buildSourceKey, KEY_KIND } from '../../core/source-key.js';
import type { FiledSource } from '../db/records.js';
import type { Sql } from '../db/sql.js';
import { type Page, pageOf } from './page.js';

export interface DiaryRow extends Pick<FiledSource, 'id' | 'sourceKey' | 'wing' | 'drawers'> {
  title: string;
  /** Epoch milliseconds. */
  writtenMs: number;
}

export interface DiaryPlace {
  /** As in the keys of its entries. */
  agent?: string | undefined;
  wing?: string | undefined;
  title?: string | undefined;
}

const ROW =
  "id, source_key AS sourceKey, wing, coalesce(title, '') AS title, source_mtime AS writtenMs, drawers";

/** The diaries of agents: sources whose key is `diary:<agent>/<name>`. */
export class Diary {
  constructor(private readonly sql: Sql) {}

  /** Newest first. */
  entries(place: DiaryPlace, page: Page) {
    const { sql, parameters } = diaryCondition(place);
    const query = {
      columns: ROW,
      from: `FROM sources s WHERE ${sql}`,
      order: 's.source_mtime DESC, s.id DESC',
    };
    return pageOf<DiaryRow>(this.sql, query, parameters, page);
  }

  /** The newest entry in this place with this SHA-256 (hexadecimal) of its text, since a moment in epoch milliseconds. */
  same(place: Required<DiaryPlace>, hash: string, sinceMs: number): DiaryRow | undefined {
    const { sql, parameters } = diaryCondition(place);
    return this.sql.get<DiaryRow>(
      `SELECT ${ROW} FROM sources s WHERE ${sql} AND s.hash = @hash AND s.source_mtime >= @sinceMs
         ORDER BY s.source_mtime DESC, s.id DESC LIMIT 1`,
      { ...parameters, hash, sinceMs },
    );
  }
}

/** A range of keys, so that an index is used. */
export function diaryCondition({ agent, wing, title }: DiaryPlace) {
  const prefix = buildSourceKey({
    kind: KEY_KIND.diary,
    owner: agent ?? '',
    name: agent === undefined ? undefined : '',
  });
  return {
    sql: `s.source_key >= @diaryFrom AND s.source_key < @diaryEnd
      AND (@diaryWing IS NULL OR s.wing = @diaryWing) AND (@diaryTitle IS NULL OR s.title = @diaryTitle)`,
    parameters: {
      diaryFrom: prefix,
      // The prefix with its last character incremented.
      diaryEnd: prefix.slice(0, -1) + String.fromCharCode(prefix.charCodeAt(prefix.length - 1) + 1),
      diaryWing: wing,
      diaryTitle: title,
    },
  };
}
