import { nameOfFile, plainPath } from '../../core/file-path.js';
import type { Priority } from '../../core/importance.js';
import { DERIVED_KINDS } from '../../core/source-key.js';
import { KEYED_TYPES, typeName } from '../../core/source-type.js';

/**
 * A filed project with what belongs to it: its documents, sessions in its folders, and what agents wrote into its wing or
 * what was imported into it.
 */
export interface ProjectPlace {
  id: string;
  wing: string;
  /** Absolute: its root, and worktrees of it. */
  folders: readonly string[];
}

/** Conditions for the drawers of a search; absent ones allow everything. */
export interface DrawerFilter {
  wing?: string | undefined;
  room?: string | undefined;
  /** First and last day, `YYYY-MM-DD`, of the content's date (else of the source's last change). */
  since?: string | undefined;
  until?: string | undefined;
  /** SQLite GLOB for the whole `source_file` or origin, or for a part of it that follows a `/`. */
  source?: string | undefined;
  session?: string | undefined;
  /** Only sources from this folder and its subfolders. */
  directory?: string | undefined;
  /** One of `SOURCE_TYPES`, or a type that documents declare. */
  type?: string | undefined;
  /** False: neither checkpoints nor summaries. */
  derived?: false | undefined;
  /** Without a priority, `medium` applies. */
  priority?: Priority | undefined;
  /** Only sessions that read or changed this file, and the document that it is: an absolute path, or the end of one. */
  file?: string | undefined;
  /** Ids of the only drawers. */
  drawers?: readonly string[] | undefined;
  /** Only what belongs to one of these. */
  projects?: readonly ProjectPlace[] | undefined;
  /** Excluded wings, or single rooms of them. */
  without?: readonly { wing: string; room?: string | undefined }[] | undefined;
}

/** An SQL condition on `sources s` and `drawers d`, with its named parameters. */
export interface Condition {
  sql: string;
  parameters: Record<string, string>;
}

/** Day of a drawer's content, else of its source's last change. */
export const CONTENT_DAY = "coalesce(d.content_date, date(s.source_mtime / 1000, 'unixepoch', 'localtime'))";

/** Allows every drawer. */
export const EVERYTHING: Condition = { sql: 'TRUE', parameters: {} };

/** What a source is, if not what it declares. */
const TYPE = `CASE WHEN s.kind = 'conversation' THEN s.kind
  ${KEYED_TYPES.map((type) => `WHEN s.source_key GLOB '${type}:*' THEN '${type}'`).join(' ')} ELSE 'document' END`;

/** Priority of a source, as SQL on `sources s`. */
export const SOURCE_PRIORITY = "coalesce(s.set_priority, s.priority, 'medium')";
/** Few drawers have their own: the others are judged by an index, without their rows. */
const PRIORITY = `coalesce(CASE WHEN d.id IN (SELECT id FROM drawers WHERE pinned = 1 OR set_priority IS NOT NULL)
  THEN d.set_priority END, ${SOURCE_PRIORITY})`;

/** A path that is, or ends with, `@file`. */
export const ends = (column: string): string =>
  `(${column} = @file OR substr(${column}, -length(@file) - 1) = '/' || @file)`;

/**
 * A row of `touched_files t` of `sources s` is of the file `@file` with the name `@fileName`: by the end of its path, or at
 * the same place in another checkout of the project.
 */
export const TOUCHES = `t.name = @fileName AND (${ends('t.path')} OR EXISTS (
  SELECT 1 FROM projects p WHERE substr(@file, 1, length(p.root) + 1) = p.root || '/'
    AND t.path = s.directory || substr(@file, length(p.root) + 1)))`;

/** A source is the document `@file`. */
export const IS_FILE = `(s.kind = 'document' AND ${ends('s.origin')})`;

const TERMS = {
  wing: 's.wing = @wing',
  room: 's.room = @room',
  session: 's.session_id = @session',
  since: `${CONTENT_DAY} >= @since`,
  until: `${CONTENT_DAY} <= @until`,
  source:
    "(s.source_file GLOB @source OR s.source_file GLOB '*/' || @source OR s.origin GLOB @source OR s.origin GLOB '*/' || @source)",
  file: `(${IS_FILE} OR s.id IN (
    SELECT t.source_id FROM touched_files t JOIN sources s ON s.id = t.source_id WHERE ${TOUCHES}))`,
  type: `(coalesce(s.declared_type, s.given_type) = @type OR ${TYPE} = @type)`,
  priority: `${PRIORITY} = @priority`,
  directory: `(${below('s.directory', '@directory')} OR ${below('s.origin', '@directory')})`,
};

/** Sources that repeat what sessions say. */
const NOT_DERIVED = DERIVED_KINDS.map((kind) => `s.source_key NOT GLOB '${kind}:*'`).join(' AND ');

/** Values that are compared in one spelling. */
const SPELLINGS: Record<string, (value: string) => string> = {
  directory: (folder) => folder.replace(/(?<=.)\/+$/, ''),
  type: typeName,
  file: plainPath,
};

/** @returns `EVERYTHING` for an empty filter */
export function conditionOf(asked: DrawerFilter): Condition {
  const { without = [], projects, drawers, derived, ...filter } = asked;
  const parameters: Record<string, string> = {};
  const terms = Object.entries(TERMS).flatMap(([name, sql]) => {
    const value = filter[name as keyof typeof TERMS];
    if (value === undefined) return [];
    parameters[name] = (SPELLINGS[name] ?? String)(value);
    return sql;
  });
  if (parameters.file !== undefined) parameters.fileName = nameOfFile(parameters.file);
  if (derived === false) terms.push(NOT_DERIVED);
  if (drawers !== undefined) {
    parameters.drawers = JSON.stringify(drawers);
    terms.push('d.drawer_id IN (SELECT value FROM json_each(@drawers))');
  }
  if (projects !== undefined) {
    const places = projects.map(({ id, wing, folders }, index) => {
      const name = `project${index}`;
      Object.assign(parameters, { [name]: id, [`${name}Wing`]: wing });
      const within = folders.map((folder, at) => {
        parameters[`${name}Folder${at}`] = folder;
        return below('s.directory', `@${name}Folder${at}`);
      });
      const written = `s.wing = @${name}Wing AND s.project_id IS NULL AND s.directory IS NULL`;
      return [`s.project_id = @${name}`, ...within, written].join(' OR ');
    });
    terms.push(`(${['FALSE', ...places].join(' OR ')})`);
  }
  for (const [index, { wing, room }] of without.entries()) {
    parameters[`cold${index}`] = wing;
    if (room !== undefined) parameters[`coldRoom${index}`] = room;
    const inRoom = room === undefined ? '' : ` AND s.room = @coldRoom${index}`;
    terms.push(`NOT (s.wing = @cold${index}${inRoom})`);
  }
  return terms.length === 0 ? EVERYTHING : { sql: terms.join(' AND '), parameters };
}

/** Not a pattern, because the name of a folder may contain any character. */
function below(column: string, folder: string): string {
  return `${column} = ${folder} OR substr(${column}, 1, length(${folder}) + 1) = ${folder} || '/'`;
}
