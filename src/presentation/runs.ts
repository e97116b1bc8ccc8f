import { isRecord } from '../core/json.js';
import type { Output } from '../service/contract/index.js';
import type { Document } from './documents/index.js';

type Run = Output<'runs'>['runs'][number];
export type RunJson = Document<'listRuns'>['runs'][number];

/** Older programs recorded other counts: what is missing or of another kind is null or empty. */
export function runJson({ counts, versions, skipped, ...run }: Run): RunJson {
  return {
    id: run.id,
    command: run.command,
    started: new Date(run.startedMs).toISOString(),
    seconds: run.endedMs === null ? null : (run.endedMs - run.startedMs) / 1000,
    exit_code: run.exitCode,
    running: run.running,
    new: number(counts.new),
    changed: number(counts.changed),
    unchanged: number(counts.unchanged),
    removed: number(counts.removed),
    skipped: number(counts.skipped),
    drawers_added: number(counts.drawers_added),
    drawers_removed: number(counts.drawers_removed),
    redacted: recordOf(counts.redacted, isNumber),
    skipped_by_reason: recordOf(counts.skipped_by_reason, isNumber),
    problems: skipped.flatMap(problemOf),
    counts,
    versions: recordOf(versions, isText),
  };
}

const isNumber = (value: unknown): value is number => typeof value === 'number';
const isText = (value: unknown): value is string => typeof value === 'string';
const number = (value: unknown): number | null => (isNumber(value) ? value : null);

function recordOf<T>(value: unknown, is: (each: unknown) => each is T): Record<string, T> {
  return isRecord(value)
    ? (Object.fromEntries(Object.entries(value).filter(([, each]) => is(each))) as Record<string, T>)
    : {};
}

function problemOf(skip: unknown): RunJson['problems'] {
  if (!isRecord(skip)) return [];
  const { origin, reason, detail } = skip;
  if (!isText(origin) || !isText(reason)) return [];
  return [{ origin, reason, ...(isText(detail) ? { detail } : {}) }];
}

type Feeder = Output<'status'>['feeders'][number];

/** The last runs of a program that files; null: never. */
export function feederJson({ command, lastMs, lastExitCode, succeededMs, doneMs }: Feeder) {
  const moment = (ms: number | null) => (ms === null ? null : new Date(ms).toISOString());
  return {
    command,
    last_run: new Date(lastMs).toISOString(),
    last_exit_code: lastExitCode,
    last_succeeded: moment(succeededMs),
    last_done: moment(doneMs),
  };
}
