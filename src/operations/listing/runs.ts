/** Runs of the programs. */
import * as z from 'zod/mini';
import { isRecord } from '../../core/json.js';
import { line } from '../../core/outside.js';
import { plural } from '../../core/plural.js';
import type { RecentRun } from '../../service/palace/runs.js';
import { formatSeconds, minuteOf } from '../../terminal/durations.js';
import { levels } from '../../terminal/spark.js';
import { count } from '../fields.js';
import { operation } from '../operation.js';
import { head, NUMBER, page, pictured, printList } from './list.js';

const COUNTS = [
  'new',
  'changed',
  'unchanged',
  'removed',
  'skipped',
  'drawers_added',
  'drawers_removed',
] as const;
const forCounts = <Value>(of: (name: string) => Value) =>
  Object.fromEntries(COUNTS.map((name) => [name, of(name)])) as Record<(typeof COUNTS)[number], Value>;
const byReason = z.record(z.string(), count);

export const run = z.strictObject({
  id: z.int().check(z.minimum(1)),
  command: z.string(),
  started: z.iso.datetime(),
  seconds: z.nullable(z.number().check(z.minimum(0))),
  exit_code: z.nullable(z.int()),
  running: z.boolean(),
  ...forCounts(() => z.nullable(count)),
  redacted: byReason,
  skipped_by_reason: byReason,
  problems: z.array(
    z.strictObject({ origin: z.string(), reason: z.string(), detail: z.optional(z.string()) }),
  ),
  counts: z.record(z.string(), z.unknown()),
  versions: z.record(z.string(), z.string()),
});
type Run = z.output<typeof run>;

/** What is missing in its record, or of another kind, is null or empty: older programs recorded less. */
export function shownRun({ counts, versions, skipped, ...run }: RecentRun): Run {
  const { id, command, startedMs, endedMs, exitCode, running } = run;
  return {
    ...{ id, command, running },
    started: new Date(startedMs).toISOString(),
    seconds: endedMs === null ? null : (endedMs - startedMs) / 1000,
    exit_code: exitCode,
    ...forCounts((name) => (isNumber(counts[name]) ? counts[name] : null)),
    redacted: recordOf(counts.redacted, isNumber),
    skipped_by_reason: recordOf(counts.skipped_by_reason, isNumber),
    problems: skipped.flatMap(problemOf),
    counts,
    versions: recordOf(versions, isText),
  };
}

const isNumber = (value: unknown): value is number => typeof value === 'number';
const isText = (value: unknown): value is string => typeof value === 'string';

function recordOf<T>(value: unknown, is: (each: unknown) => each is T): Record<string, T> {
  return isRecord(value)
    ? (Object.fromEntries(Object.entries(value).filter(([, each]) => is(each))) as Record<string, T>)
    : {};
}

function problemOf(skip: unknown): Run['problems'] {
  if (!isRecord(skip)) return [];
  const { origin, reason, detail } = skip;
  if (!isText(origin) || !isText(reason)) return [];
  return [{ origin, reason, ...(isText(detail) ? { detail } : {}) }];
}

export const runs = {
  listRuns: operation({
    name: 'list runs',
    summary: 'List runs of the programs, newest first',
    reads: true,
    inWing: 'runs file into the whole palace',
    input: () => z.strictObject(page()),
    output: () => z.strictObject({ ...head('runs'), runs: z.array(run) }),
    async run({ limit, offset }, { handle }) {
      const { recentRuns } = await import('../../service/palace/runs.js');
      const found = recentRuns(handle.get(), limit, { offset });
      return { list: 'runs' as const, total: null, offset, limit, runs: found.map(shownRun) };
    },
    text(document, terminal) {
      const filed = levels(document.runs.map(({ drawers_added }) => drawers_added ?? 0));
      const rows = document.runs.map((run, index) => [
        String(run.id),
        minuteOf(run.started),
        ...pictured(terminal).map(() => filed[index] ?? ''),
        line(run.command),
        run.exit_code === null ? (run.running ? 'running' : 'did not end') : `exit ${run.exit_code}`,
        whatItDid(run),
      ]);
      const columns = [
        ...[NUMBER, {}, ...pictured(terminal), { share: 0.25 }],
        ...[{}, { style: 'dim' as const, share: 0.4 }],
      ];
      printList(document, { columns, rows }, terminal);
    },
    address: 'Runs of the programs, newest first',
  }),
};

/** A run that was stopped has no counts. */
function whatItDid(run: Run): string {
  const counts: [number | null, string][] = [
    [run.new, 'new'],
    [run.changed, 'changed'],
    [run.removed, 'removed'],
  ];
  const parts = counts.flatMap(([count, name]) => (count ? [`${count} ${name}`] : []));
  if (run.new !== null && parts.length === 0) parts.push('nothing new');
  if (run.drawers_added) parts.push(`${plural(run.drawers_added, 'drawer')} filed`);
  if (run.seconds !== null) parts.push(formatSeconds(run.seconds));
  return parts.join(', ');
}
