import type { Surroundings } from '../../presentation/listing.js';
import type { Output } from '../../service/contract/index.js';
import { isNamed, runningBroker } from './broker.js';
import type { CommandContext } from './runner.js';

type Feeders = Output<'status'>['feeders'];

/** What this machine knows of the palace besides its content. */
export async function surroundingsOf(feeders: Feeders, context: CommandContext): Promise<Surroundings> {
  const { config, folders } = context;
  const { url, model, dailyBudget } = config.summary;
  return {
    palace: isNamed(config) ? config.broker.use : folders.palace,
    broker: (await runningBroker(context)) ?? null,
    stale: await staleOf(feeders, context),
    summaries: url === '' ? undefined : { model, daily_budget: dailyBudget },
  };
}

/** Programs that a schedule should have run, but has not for a long time. */
async function staleOf(feeders: Feeders, { env, folders }: CommandContext) {
  const { JOBS, scheduleStatus, staleFeeders } = await import('../../schedule/index.js');
  const schedules = () => scheduleStatus({ env, folders });
  const stale = await staleFeeders(JOBS, feeders, schedules, Date.now());
  return stale.map(({ command, schedulers, lastDone, days, notice }) => ({
    command,
    schedulers,
    last_done: lastDone,
    days,
    notice,
  }));
}
