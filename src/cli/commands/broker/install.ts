import { tell } from '../../../broker/connect.js';
import { UserError } from '../../../core/errors.js';
import { brokerServicesAt, placeOf } from '../../../schedule/index.js';
import { line } from '../../../terminal/terminal.js';
import { brokerOf, runningBroker } from '../../app/broker.js';
import type { CommandContext } from '../../app/runner.js';
import { chosen, optionsOf, printSteps, type SchedulerStep } from '../schedule/steps.js';
import type { ServiceFlags } from './command.js';

const NONE = 'the broker is not installed as a service';
const WITHOUT = 'nothing has to be installed: agents start the broker by themselves';

export async function brokerInstall(context: CommandContext, flags: ServiceFlags): Promise<number> {
  const { dryRun = false } = flags;
  const manager = await chosen(servicesOf(context, flags), flags.with, WITHOUT);
  const planned = await manager.install(true);
  if (!dryRun && planned.some(({ done }) => done === 'started')) await makeRoom(context);
  const done = dryRun ? planned : await manager.install(false);
  const steps = done.map((step) => ({ ...step, scheduler: manager.id }));
  return printSteps('install', steps, flags, context, NONE);
}

/**
 * Ends the broker that an agent has started. One that the user named may be of another machine: it goes on.
 *
 * @throws UserError `locked` for `mempalace serve`, which its user ends
 */
async function makeRoom({ config, ...place }: CommandContext): Promise<void> {
  const own = { ...place, config: { ...config, broker: { ...config.broker, use: 'auto' } } };
  const running = await runningBroker(own);
  const wanted = brokerOf(own, 'stop');
  if (running === undefined || wanted === undefined) return;
  if (running.http !== undefined)
    throw new UserError('locked', `process ${running.pid} serves this palace on ${line(running.http)}`, {
      hint: 'mempalace serve is a broker, too: end it first, or go on without this service',
    });
  await tell(running.socket, wanted.hello);
}

export async function brokerRemove(context: CommandContext, flags: ServiceFlags): Promise<number> {
  const { dryRun = false } = flags;
  const steps: SchedulerStep[] = [];
  for (const manager of servicesOf(context, flags)) {
    if (flags.with !== undefined && manager.id !== flags.with) continue;
    steps.push(...(await manager.remove(dryRun)).map((step) => ({ ...step, scheduler: manager.id })));
  }
  return printSteps('remove', steps, flags, context, NONE);
}

function servicesOf(context: CommandContext, { bin }: ServiceFlags) {
  return brokerServicesAt(placeOf(optionsOf(context, bin))).map((manager) => ({
    ...manager,
    async unavailable() {
      const found = await manager.unavailable();
      // The manager's own hint is about schedules.
      return found && { ...found, hint: WITHOUT };
    },
  }));
}
