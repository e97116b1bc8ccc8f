import { onceIn } from '../../core/once-in.js';
import { aside, waiting } from '../../hooks/queue.js';
import type { Status, Surroundings } from '../../operations/listing/status.js';
import type { ScheduleStatus } from '../../schedule/index.js';
import { isNamed, runningBroker } from './broker.js';
import type { CommandContext } from './runner.js';

type Feeders = Status['feeders'];

/** A program that answers often looks at the schedules once in this time, milliseconds: that runs other programs. */
const SCHEDULES_MS = 30_000;

/**
 * What this machine knows of the palace besides its content.
 *
 * @param look the state of the schedules, where a program may be late
 */
export async function surroundingsOf(
  feeders: Feeders,
  context: CommandContext,
  look = () => schedulesOf(context),
): Promise<Surroundings> {
  const { config, folders } = context;
  const [running, stale] = await Promise.all([runningBroker(context), staleOf(feeders, look)]);
  return {
    palace: isNamed(config) ? config.broker.use : folders.palace,
    broker: running ?? null,
    stale,
    hooks: unfiledIn(folders.palace),
  };
}

/** Sessions that hooks noted and no run has filed; undefined without any. */
function unfiledIn(palace: string): Surroundings['hooks'] {
  const set_aside = aside(palace).map(({ harness, sessionId, reason }) => {
    return { harness, session_id: sessionId, reason };
  });
  const count = waiting(palace);
  return count + set_aside.length === 0 ? undefined : { waiting: count, set_aside };
}

/** The same for a program that answers often: what it says of schedules may be as old as `SCHEDULES_MS`. */
export function lastingSurroundings(context: CommandContext): (feeders: Feeders) => Promise<Surroundings> {
  const look = onceIn(SCHEDULES_MS, () => schedulesOf(context));
  return (feeders) => surroundingsOf(feeders, context, look);
}

async function schedulesOf({ env, folders }: CommandContext): Promise<ScheduleStatus[]> {
  const { scheduleStatus } = await import('../../schedule/index.js');
  return scheduleStatus({ env, folders });
}

/** Programs that a schedule should have run, but has not for a long time. */
async function staleOf(feeders: Feeders, look: () => Promise<ScheduleStatus[]>) {
  const { JOBS, staleFeeders } = await import('../../schedule/index.js');
  const done = feeders.map(({ command, last_done }) => ({
    command,
    doneMs: last_done === null ? null : Date.parse(last_done),
  }));
  const stale = await staleFeeders(JOBS, done, look, Date.now());
  return stale.map(({ command, schedulers, lastDone, days, notice }) => ({
    command,
    schedulers,
    last_done: lastDone,
    days,
    notice,
  }));
}
