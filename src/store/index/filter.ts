/** Conditions for the drawers of a search; absent ones allow everything. */
export interface DrawerFilter {
  wing?: string | undefined;
  room?: string | undefined;
  /** First and last day, `YYYY-MM-DD`, of the content's date (else of the source's last change, UTC). */
  since?: string | undefined;
  until?: string | undefined;
  /** SQLite GLOB for the whole `source_file` or origin, or for a part of it that follows a `/`. */
  source?: string | undefined;
  session?: string | undefined;
  /** Only sources from this folder and its subfolders. */
  directory?: string | undefined;
  /** Excluded wings, or single rooms of them. */
  without?: readonly { wing: string; room?: string | undefined }[] | undefined;
}

/** An SQL condition on `sources s` and `drawers d`, with its named parameters. */
export interface Condition {
  sql: string;
  parameters: Record<string, string>;
}

/** Day of a drawer's content, else of its source's last change. */
export const CONTENT_DAY = "coalesce(d.content_date, date(s.source_mtime / 1000, 'unixepoch'))";

/** @returns undefined when the filter allows everything */
export function conditionOf(filter: DrawerFilter): Condition | undefined {
  const terms: string[] = [];
  const parameters: Record<string, string> = {};
  const add = (name: string, value: string | undefined, sql: string): void => {
    if (value === undefined) return;
    terms.push(sql);
    parameters[name] = value;
  };
  add('wing', filter.wing, 's.wing = @wing');
  add('room', filter.room, 's.room = @room');
  add('session', filter.session, 's.session_id = @session');
  add('since', filter.since, `${CONTENT_DAY} >= @since`);
  add('until', filter.until, `${CONTENT_DAY} <= @until`);
  add(
    'source',
    filter.source,
    "(s.source_file GLOB @source OR s.source_file GLOB '*/' || @source OR s.origin GLOB @source OR s.origin GLOB '*/' || @source)",
  );
  const folder = filter.directory?.replace(/(?<=.)\/+$/, '');
  add('directory', folder, `(${below('s.directory')} OR ${below('s.origin')})`);
  filter.without?.forEach(({ wing, room }, index) => {
    parameters[`cold${index}`] = wing;
    if (room === undefined) {
      terms.push(`s.wing <> @cold${index}`);
    } else {
      parameters[`coldRoom${index}`] = room;
      terms.push(`NOT (s.wing = @cold${index} AND s.room = @coldRoom${index})`);
    }
  });
  return terms.length === 0 ? undefined : { sql: terms.join(' AND '), parameters };
}

/** Not a pattern, because the name of a folder may contain any character. */
function below(column: string): string {
  return `${column} = @directory OR substr(${column}, 1, length(@directory) + 1) = @directory || '/'`;
}

export function andAlso(among: Condition | undefined): string {
  return among === undefined ? '' : `AND ${among.sql}`;
}
