import type { FileAction } from '../../activity/index.js';
import { nameOfFile } from '../../core/file-path.js';
import type { Sql } from '../db/sql.js';
import { CONTENT_DAY, IS_FILE, TOUCHES } from '../index/filter.js';
import { quoted } from '../index/match.js';

export interface FileUse {
  source_id: number;
  drawer_id: string;
  chunk_index: number;
  line_start: number;
  day: string;
  /** Of the source's last change, epoch milliseconds. */
  source_mtime: number;
}

export interface FileTouchRow extends FileUse {
  path: string;
  action: FileAction;
  former: string | null;
}

const USE = `s.id AS source_id, d.drawer_id, d.chunk_index, d.line_start, ${CONTENT_DAY} AS day, s.source_mtime`;
const USED = `JOIN sources s ON s.id = t.source_id
  JOIN drawers d ON d.source_id = t.source_id AND d.chunk_index = t.chunk_index`;

/** Drawers that speak of a file are looked for among the newest ones with its name. */
const NEWEST = 1_000;
/** Former names of a file that are followed. */
const MOST_NAMES = 50;

export class FileUses {
  constructor(private readonly sql: Sql) {}

  /** The paths of a file, and of those that it was renamed from. @param file an absolute path, or the end of one */
  paths(file: string): string[] {
    const paths = new Set<string>();
    const wanted = [file];
    for (const each of wanted) {
      for (const { path, former } of this.#named(each)) {
        paths.add(path);
        if (former !== null && wanted.length < MOST_NAMES && !wanted.includes(former)) wanted.push(former);
      }
    }
    return [...paths];
  }

  #named(file: string) {
    return this.sql.all<{ path: string; former: string | null }>(
      `SELECT DISTINCT t.path, t.former FROM touched_files t JOIN sources s ON s.id = t.source_id WHERE ${TOUCHES}`,
      { file, fileName: nameOfFile(file) },
    );
  }

  /** The last use of these paths in each source. A file may be used in most sessions: their other drawers are not read. */
  last(paths: readonly string[]): FileUse[] {
    return this.sql.all<FileUse>(
      `SELECT ${USE} FROM (SELECT source_id, max(chunk_index) AS chunk_index FROM touched_files
           WHERE name IN (SELECT value FROM json_each(?)) AND path IN (SELECT value FROM json_each(?)) GROUP BY source_id) t
         ${USED}`,
      JSON.stringify([...new Set(paths.map(nameOfFile))]),
      JSON.stringify(paths),
    );
  }

  touching(paths: readonly string[], sourceIds: readonly number[]): FileTouchRow[] {
    return this.sql.all<FileTouchRow>(
      `SELECT ${USE}, t.path, t.action, t.former FROM touched_files t ${USED}
         WHERE t.source_id IN (SELECT value FROM json_each(?)) AND t.path IN (SELECT value FROM json_each(?))`,
      JSON.stringify(sourceIds),
      JSON.stringify(paths),
    );
  }

  /** The first drawers of the documents that the file is. */
  documents(file: string): FileUse[] {
    return this.sql.all<FileUse>(
      `SELECT ${USE} FROM sources s JOIN drawers d ON d.source_id = s.id AND d.chunk_index = 0 WHERE ${IS_FILE}`,
      { file },
    );
  }

  /** Drawers, except those of tools, with this text: a path or its end. */
  mentions(text: string): FileUse[] {
    return this.sql.all<FileUse>(
      `SELECT ${USE} FROM (SELECT rowid FROM lexical_index WHERE lexical_index MATCH @match
           ORDER BY rowid DESC LIMIT ${NEWEST}) found
         JOIN drawers d ON d.id = found.rowid JOIN sources s ON s.id = d.source_id
         WHERE d.role IS NOT 'tool' AND instr(d.text, @text)`,
      { text, match: `text : ${quoted(text)}` },
    );
  }
}
