/** What the palace contains, and how it is. */
import * as z from 'zod/mini';
import type { Config } from '../../config/index.js';
import { groupBy } from '../../core/group-by.js';
import type { CommandRuns } from '../../store/index.js';
import { count, field, name } from '../fields.js';
import { operation } from '../operation.js';
import { held, totalOf } from './list.js';
import { run, shownRun } from './runs.js';

const coverage = () => z.strictObject({ texts: count, pending: count, percent: count });
const moment = z.iso.datetime();
const RUNS = 5;

/** What the program that asks knows of its palace. */
const surroundings = () => ({
  palace: z.string(),
  /** Sessions that hooks noted and no run has filed. */
  hooks: z.optional(
    z.strictObject({
      waiting: count,
      set_aside: z.array(z.strictObject({ harness: name, session_id: name, reason: z.string() })),
    }),
  ),
  broker: z.nullable(
    z.strictObject({
      pid: count,
      version: z.string(),
      started: z.string(),
      clients: count,
      socket: z.string(),
      http: z.optional(z.string()),
      watching: z.optional(
        z.strictObject({
          paths: z.array(z.string()),
          missing: z.array(z.string()),
          last: z.nullable(
            z.strictObject({ command: z.string(), ended: z.string(), exit_code: z.nullable(z.int()) }),
          ),
        }),
      ),
    }),
  ),
  /** Programs that a schedule should have run, but has not for a long time. */
  stale: z.array(
    z.strictObject({
      command: z.string(),
      schedulers: z.array(z.enum(['systemd', 'launchd', 'cron'])).check(z.minLength(1)),
      last_done: z.nullable(moment),
      days: z.nullable(count),
      notice: z.string(),
    }),
  ),
});

export const status = operation({
  name: 'status',
  summary: 'Show the contents of the palace and the last runs',
  reads: true,
  inWing: 'this counts the whole palace',
  input: () =>
    z.strictObject({
      runs: field(z._default(count, RUNS), 'last runs'),
      short_writes: field(
        z._default(z.boolean(), false),
        'also those that only wrote a pin, a fact or a diary entry',
      ),
      summaries: field(
        z.optional(z.strictObject({ model: z.string(), daily_budget: count })),
        'what makes summaries',
      ),
    }),
  output: () =>
    z.strictObject({
      ...surroundings(),
      bytes: count,
      model: z.strictObject({ id: z.string(), revision: z.string(), dimension: z.int().check(z.minimum(1)) }),
      ...held,
      meaning: coverage(),
      /** While drawers are found by the words of an earlier version. */
      words: z.optional(coverage()),
      /** Those that are not done. */
      tasks: z.optional(z.strictObject({ open: count, taken: count })),
      summaries: z.optional(z.strictObject({ model: z.string(), spent_today: count, daily_budget: count })),
      wings: z.array(
        z.strictObject({
          wing: z.string(),
          ...held,
          rooms: z.array(z.strictObject({ room: z.string(), ...held })),
        }),
      ),
      remarks: z.array(z.strictObject({ text: z.string(), hint: z.string() })),
      feeders: z.array(
        z.strictObject({
          command: z.string(),
          last_run: moment,
          last_exit_code: z.nullable(z.int()),
          last_succeeded: z.nullable(moment),
          last_done: z.nullable(moment),
        }),
      ),
      runs: z.array(run),
    }),
  async run({ runs, short_writes: shortWrites, summaries }, { handle, now }) {
    const [{ recentRuns }, { spentTokens }] = await Promise.all([
      import('../../service/palace/runs.js'),
      import('../../knowledge/summaries/read.js'),
    ]);
    const palace = handle.get();
    const { id, revision, dimension } = palace.model;
    return palace.snapshot(() => {
      const rooms = palace.rooms();
      const [words, tasks] = [palace.renewal.progress(), palace.tasks.unfinished()];
      const spent_today = spentTokens(palace, now);
      return {
        palace: palace.folder,
        bytes: palace.bytes(),
        model: { id, revision, dimension },
        ...totalOf(rooms),
        meaning: palace.vectors.coverage(),
        ...(words && { words }),
        ...(tasks && { tasks }),
        ...(summaries && { summaries: { ...summaries, spent_today } }),
        wings: [...groupBy(rooms, ({ wing }) => wing)].map(([wing, inside]) => ({
          wing,
          ...totalOf(inside),
          rooms: inside.map(({ wing: _, ...room }) => room),
        })),
        feeders: palace.runs.byCommand().map(shownFeeder),
        runs: recentRuns(palace, runs, { shortWrites }).map(shownRun),
        broker: null,
        remarks: palace.warnings(),
        stale: [],
      };
    });
  },
});
export type Status = z.output<ReturnType<typeof status.output>>;
export type Surroundings = Pick<Status, 'palace' | 'hooks' | 'broker' | 'stale'>;

/** What makes summaries, if anything does. */
export const summariesOf = ({ summary: { url, model, dailyBudget } }: Config) =>
  url === '' ? undefined : { model, daily_budget: dailyBudget };

/** The last runs of a program that files; null: never. */
export function shownFeeder({ command, lastMs, lastExitCode, succeededMs, doneMs }: CommandRuns) {
  const moment = (ms: number | null) => (ms === null ? null : new Date(ms).toISOString());
  return {
    command,
    last_run: new Date(lastMs).toISOString(),
    last_exit_code: lastExitCode,
    last_succeeded: moment(succeededMs),
    last_done: moment(doneMs),
  };
}
