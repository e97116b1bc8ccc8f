import { parseList, parseObject } from '../db/json.js';
import type { Sql } from '../db/sql.js';

/** What a run is told apart by. */
export interface RunStart {
  command: string;
  /** Databases or folder and the options that shape the outcome, as canonical JSON: equal scopes are comparable runs. */
  scope: string;
  /** True for a run that looked at only a part, such as `--session` or `--limit`. */
  narrowed: boolean;
  versions: Record<string, string>;
  startedMs: number;
}

export interface RunEnd {
  exitCode: number;
  counts: Record<string, unknown>;
  skipped: unknown[];
}

export interface RunRow {
  id: number;
  command: string;
  versions: Record<string, unknown>;
  startedMs: number;
  endedMs: number | null;
  exitCode: number | null;
  counts: Record<string, unknown>;
  /** What was passed over or went wrong, the first thousand. */
  skipped: unknown[];
}

/** When a command ran last; epoch milliseconds of the runs' starts. */
export interface CommandRuns {
  command: string;
  lastMs: number;
  /** Null while it runs, or when it was killed. */
  lastExitCode: number | null;
  /** Exit code 0. */
  succeededMs: number | null;
  /** Exit code 0 or 3: done, though something may not have been readable. */
  doneMs: number | null;
}

/** As many of the newest runs are looked through for the last success of a command: half a year of one an hour. */
const RUNS_LOOKED_AT = 5_000;
/** The scope of what is done beside the runs that file, such as a mark that a person sets. */
export const BESIDE = '"beside"';
const RECORD = 'record of runs';
/** Skips recorded with a run; the counts are complete, the list is not longer than this. */
const SKIPS_KEPT = 1_000;
/** Longest text in a recorded skip, UTF-16 units: as long as a path may be. */
const SKIP_CHARS = 4_096;

/** The record of what every run did. */
export class Runs {
  constructor(private readonly sql: Sql) {}

  begin(run: RunStart): number {
    const result = this.sql.run(
      'INSERT INTO runs(command, scope, narrowed, versions, started_ms) VALUES (@command, @scope, @narrowed, @versions, @startedMs)',
      { ...run, narrowed: run.narrowed ? 1 : 0, versions: JSON.stringify(run.versions) },
    );
    return Number(result.lastInsertRowid);
  }

  /** Records what was done at once. */
  add(run: RunStart, end: RunEnd): number {
    const id = this.begin(run);
    this.end(id, end);
    return id;
  }

  end(id: number, end: RunEnd): void {
    this.sql.run(
      'UPDATE runs SET ended_ms = ?, exit_code = ?, counts = ?, skipped = ? WHERE id = ?',
      Date.now(),
      end.exitCode,
      JSON.stringify(end.counts),
      JSON.stringify(end.skipped.slice(0, SKIPS_KEPT), shortened),
      id,
    );
  }

  /** Takes a run back that has changed nothing. */
  withdraw(id: number): void {
    this.sql.run('DELETE FROM runs WHERE id = ?', id);
  }

  /** Start of the last complete run of this command and scope, epoch milliseconds. */
  lastComplete(command: string, scope: string): number | undefined {
    return this.sql.value<number>(
      `SELECT started_ms AS startedMs FROM runs
         WHERE command = ? AND scope = ? AND narrowed = 0 AND exit_code = 0 ORDER BY id DESC LIMIT 1`,
      command,
      scope,
    );
  }

  /** What the run that filed a source last was told apart by. */
  thatFiled(sourceId: number): { command: string; scope: string } | undefined {
    return this.sql.get<{ command: string; scope: string }>(
      'SELECT r.command, r.scope FROM sources s JOIN runs r ON r.id = s.run_id WHERE s.id = ?',
      sourceId,
    );
  }

  /** Did the run before this one end early, so that what it left must be cleared away? */
  endedEarlyBefore(id: number): boolean {
    const exitCode = this.sql.value<number | null>(
      'SELECT exit_code FROM runs WHERE id < ? AND scope <> ? ORDER BY id DESC LIMIT 1',
      id,
      BESIDE,
    );
    return exitCode !== undefined && exitCode !== 0 && exitCode !== 3;
  }

  /** Did something that was done beside the runs take drawers out since the run before this one? */
  removedBesideSince(id: number): boolean {
    return this.sql.has(
      `SELECT 1 FROM runs
       WHERE scope = @beside AND json_extract(counts, '$.drawers_removed') > 0
         AND id > coalesce((SELECT max(id) FROM runs WHERE id < @id AND scope <> @beside), 0) LIMIT 1`,
      { id, beside: BESIDE },
    );
  }

  /** Each command that files, of the last 5,000 runs, by name. */
  byCommand(): CommandRuns[] {
    return this.sql.all<CommandRuns>(
      `SELECT r.command, r.started_ms AS lastMs, r.exit_code AS lastExitCode, c.succeededMs, c.doneMs FROM (
           SELECT max(id) AS last,
             max(started_ms) FILTER (WHERE exit_code = 0) AS succeededMs,
             max(started_ms) FILTER (WHERE exit_code IN (0, 3)) AS doneMs
           FROM runs WHERE id > (SELECT coalesce(max(id), 0) FROM runs) - ? AND scope <> ? GROUP BY command
         ) c JOIN runs r ON r.id = c.last ORDER BY r.command`,
      RUNS_LOOKED_AT,
      BESIDE,
    );
  }

  /** What runs passed over or could not read, as `end` recorded it, of every run that has such. */
  skips(): { id: number; skipped: unknown[] }[] {
    return this.sql
      .all<{ id: number; skipped: string }>(
        "SELECT id, skipped FROM runs WHERE skipped IS NOT NULL AND skipped <> '[]'",
      )
      .map(({ id, skipped }) => ({ id, skipped: parseList(skipped, RECORD) }));
  }

  /** Records other skips of a run that has ended. */
  rewriteSkips(id: number, skipped: readonly unknown[]): void {
    this.sql.run('UPDATE runs SET skipped = ? WHERE id = ?', JSON.stringify(skipped), id);
  }

  /**
   * The newest runs first.
   *
   * @param options.beside false: without what was done beside the runs that file
   */
  latest(count: number, { offset = 0, beside = true } = {}): RunRow[] {
    return this.sql
      .all<
        Omit<RunRow, 'counts' | 'versions' | 'skipped'> &
          Record<'counts' | 'versions' | 'skipped', string | null>
      >(
        `SELECT id, command, versions, started_ms AS startedMs, ended_ms AS endedMs, exit_code AS exitCode, counts,
           skipped
         FROM runs WHERE ? OR scope <> ? ORDER BY id DESC LIMIT ? OFFSET ?`,
        beside ? 1 : 0,
        BESIDE,
        count,
        offset,
      )
      .map(({ versions, counts, skipped, ...row }) => ({
        ...row,
        versions: parseObject(versions ?? '{}', RECORD),
        counts: parseObject(counts ?? '{}', RECORD),
        skipped: parseList(skipped ?? '[]', RECORD),
      }));
  }
}

function shortened(_key: string, value: unknown): unknown {
  return typeof value === 'string' && value.length > SKIP_CHARS ? `${value.slice(0, SKIP_CHARS)}…` : value;
}
