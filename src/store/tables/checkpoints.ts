import { buildSourceKey, KEY_KIND } from '../../core/source-key.js';
import type { FiledSource } from '../db/records.js';
import type { Sql } from '../db/sql.js';
import { type Page, pageOf } from './page.js';

interface CheckpointRow extends Pick<FiledSource, 'id' | 'wing' | 'directory'> {
  checkpoint_id: string;
  title: string;
  /** Epoch milliseconds of the last message before it. */
  source_mtime: number;
}

export interface CheckpointPlace {
  /** The key of a checkpoint, a session's id, or the key of a session. */
  name?: string | undefined;
  directories?: readonly string[] | undefined;
  wing?: string | undefined;
}

const prefix = buildSourceKey({ kind: KEY_KIND.checkpoint, owner: '' });
const RANGE = { prefix, end: `${prefix}\u{10ffff}` };

/** Sources whose key is `checkpoint:<session's key>/<name>`. */
export class Checkpoints {
  constructor(private readonly sql: Sql) {}

  /** The filed session with this id or key, else the last one in the folder; without sub-agents. */
  session(name: string | undefined, directory: string): { sourceKey: string; origin: string } | undefined {
    return this.sql.get(
      `SELECT source_key AS sourceKey, origin FROM sources
         WHERE kind = 'conversation' AND session_id IS NOT NULL AND instr(source_key, '/') = 0
           AND CASE WHEN @name IS NULL THEN directory = @directory ELSE @name IN (session_id, source_key) END
         ORDER BY source_mtime DESC, id DESC LIMIT 1`,
      { name, directory },
    );
  }

  /** Newest first. */
  entries({ name, directories, wing }: CheckpointPlace, page: Page) {
    const from = `FROM sources WHERE source_key >= @prefix AND source_key < @end
      AND (@name IS NULL OR session_id = @name OR source_key = @name OR source_key GLOB @of)
      AND (@directories IS NULL OR directory IN (SELECT value FROM json_each(@directories)))
      AND (@wing IS NULL OR wing = @wing)`;
    const parameters = {
      ...RANGE,
      name,
      wing,
      of: name === undefined ? undefined : `${prefix}${name.replace(/[*?[]/g, '[$&]')}/*`,
      directories: directories === undefined ? undefined : JSON.stringify(directories),
    };
    const columns =
      "id, source_key AS checkpoint_id, wing, directory, coalesce(title, '') AS title, source_mtime";
    return pageOf<CheckpointRow>(
      this.sql,
      { columns, from, order: 'source_mtime DESC, id DESC' },
      parameters,
      page,
    );
  }
}
