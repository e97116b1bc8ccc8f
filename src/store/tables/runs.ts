import { isRecord } from '../../core/json.js';
import { parseStored } from '../db/json.js';
import type { Sql } from '../db/sql.js';

export interface RunStart {
  command: string;
  /** Databases or folder, and the options that affect the result, as canonical JSON. Equal scopes are comparable runs. */
  scope: string;
  /** True for a run over only a part, such as with `--session` or `--limit`. */
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
  /** The first thousand skipped or failed sources. */
  skipped: unknown[];
}

type Packed = 'counts' | 'versions' | 'skipped';

/** Times are starts of runs, in epoch milliseconds. */
export interface CommandRuns {
  command: string;
  lastMs: number;
  /** Null while it runs, and after a kill. */
  lastExitCode: number | null;
  /** Exit code 0. */
  succeededMs: number | null;
  /** Exit code 0, or 3 (done, but some sources could not be read). */
  doneMs: number | null;
}

/** The newest runs among which the last success of a command is searched: half a year with one run per hour. */
const RUNS_LOOKED_AT = 5_000;
/** The scope of a short write, such as a pin that the user sets. Such a write may happen during a run. */
export const SHORT_WRITE = '"beside"';
const RECORD = 'record of runs';
/** Maximum number of recorded skips per run; its counts are complete. */
const SKIPS_KEPT = 1_000;
/** Maximum length of a text in a recorded skip, UTF-16 units: the maximum length of a path. */
const SKIP_CHARS = 4_096;
/** A shorter name occurs in texts by chance. */
const LEAST_NAME_CHARS = 4;

export class Runs {
  constructor(private readonly sql: Sql) {}

  begin(run: RunStart): number {
    const result = this.sql.run(
      'INSERT INTO runs(command, scope, narrowed, versions, started_ms) VALUES (@command, @scope, @narrowed, @versions, @startedMs)',
      { ...run, narrowed: run.narrowed ? 1 : 0, versions: JSON.stringify(run.versions) },
    );
    return Number(result.lastInsertRowid);
  }

  /** Records a finished run. */
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

  /** Deletes a run that has changed nothing. */
  withdraw(id: number): void {
    this.sql.run('DELETE FROM runs WHERE id = ?', id);
  }

  /** Start of the last complete run, epoch milliseconds. */
  lastComplete(command: string, scope: string): number | undefined {
    return this.sql.value<number>(
      `SELECT started_ms AS startedMs FROM runs
         WHERE command = ? AND scope = ? AND narrowed = 0 AND exit_code = 0 ORDER BY id DESC LIMIT 1`,
      command,
      scope,
    );
  }

  /** The run that filed a source last. */
  thatFiled(sourceId: number): { command: string; scope: string } | undefined {
    return this.sql.get<{ command: string; scope: string }>(
      'SELECT r.command, r.scope FROM sources s JOIN runs r ON r.id = s.run_id WHERE s.id = ?',
      sourceId,
    );
  }

  /** Whether the previous run ended early, so that its remains must be cleared. */
  endedEarlyBefore(id: number): boolean {
    const exitCode = this.sql.value<number | null>(
      'SELECT exit_code FROM runs WHERE id < ? AND scope <> ? ORDER BY id DESC LIMIT 1',
      id,
      SHORT_WRITE,
    );
    return exitCode !== undefined && exitCode !== 0 && exitCode !== 3;
  }

  /** Whether a short write has removed drawers since the previous run. */
  shortWriteRemovedBefore(id: number): boolean {
    return this.sql.has(
      `SELECT 1 FROM runs
       WHERE scope = @beside AND json_extract(counts, '$.drawers_removed') > 0
         AND id > coalesce((SELECT max(id) FROM runs WHERE id < @id AND scope <> @beside), 0) LIMIT 1`,
      { id, beside: SHORT_WRITE },
    );
  }

  /** The commands of the last 5,000 runs, without short writes, by name. */
  byCommand(): CommandRuns[] {
    return this.sql.all<CommandRuns>(
      `SELECT r.command, r.started_ms AS lastMs, r.exit_code AS lastExitCode, c.succeededMs, c.doneMs FROM (
           SELECT max(id) AS last,
             max(started_ms) FILTER (WHERE exit_code = 0) AS succeededMs,
             max(started_ms) FILTER (WHERE exit_code IN (0, 3)) AS doneMs
           FROM runs WHERE id > (SELECT coalesce(max(id), 0) FROM runs) - ? AND scope <> ? GROUP BY command
         ) c JOIN runs r ON r.id = c.last ORDER BY r.command`,
      RUNS_LOOKED_AT,
      SHORT_WRITE,
    );
  }

  /** The skips of all runs that have any. */
  skips(): { id: number; skipped: unknown[] }[] {
    return this.sql
      .all<{ id: number; skipped: string }>(
        "SELECT id, skipped FROM runs WHERE skipped IS NOT NULL AND skipped <> '[]'",
      )
      .map(({ id, skipped }) => ({ id, skipped: parseStored(skipped, RECORD, Array.isArray) }));
  }

  /** Removes skips that mention one of these names. */
  dropSkipsOf(names: readonly string[]): void {
    const longEnough = names.filter((name) => name.length >= LEAST_NAME_CHARS);
    const mentions = (text: string) => longEnough.some((name) => text.includes(name));
    this.sql.write(() => {
      for (const { id, skipped } of this.skips()) {
        const kept = skipped.filter((skip) => !textsOf(skip).some(mentions));
        if (kept.length < skipped.length) this.rewriteSkips(id, kept);
      }
    });
  }

  /** Replaces the skips of a run that has ended. */
  rewriteSkips(id: number, skipped: readonly unknown[]): void {
    this.sql.run('UPDATE runs SET skipped = ? WHERE id = ?', JSON.stringify(skipped), id);
  }

  /** Newest first. */
  latest(count: number, { offset = 0, shortWrites = true } = {}): RunRow[] {
    return this.sql
      .all<Omit<RunRow, Packed> & Record<Packed, string | null>>(
        `SELECT id, command, versions, started_ms AS startedMs, ended_ms AS endedMs, exit_code AS exitCode, counts,
           skipped
         FROM runs WHERE ? OR scope <> ? ORDER BY id DESC LIMIT ? OFFSET ?`,
        shortWrites ? 1 : 0,
        SHORT_WRITE,
        count,
        offset,
      )
      .map(({ versions, counts, skipped, ...row }) => ({
        ...row,
        versions: parseStored(versions ?? '{}', RECORD, isRecord),
        counts: parseStored(counts ?? '{}', RECORD, isRecord),
        skipped: parseStored(skipped ?? '[]', RECORD, Array.isArray),
      }));
  }
}

function textsOf(value: unknown): string[] {
  if (typeof value === 'string') return [value];
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(textsOf) : [];
}

function shortened(_key: string, value: unknown): unknown {
  return typeof value === 'string' && value.length > SKIP_CHARS ? `${value.slice(0, SKIP_CHARS)}…` : value;
}
