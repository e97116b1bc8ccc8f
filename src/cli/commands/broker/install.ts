import { tell } from '../../../broker/connect.js';
import { brokerServicesAt, placeOf } from '../../../schedule/index.js';
import { brokerOf, runningSocket } from '../../app/broker.js';
import type { CommonFlags } from '../../app/options.js';
import type { CommandContext } from '../../app/runner.js';
import { chosen, printSteps, type SchedulerStep } from '../schedule/steps.js';

interface InstallFlags extends CommonFlags {
  with?: 'systemd' | 'launchd';
  bin?: string;
  dryRun?: boolean;
}

const NONE = 'the broker is not installed as a service';
const WITHOUT = 'nothing has to be installed: agents start the broker by themselves';

/** `mempalace broker install`. */
export async function brokerInstall(context: CommandContext, flags: InstallFlags): Promise<number> {
  const { dryRun = false } = flags;
  const manager = await chosen(servicesOf(context, flags), flags.with, WITHOUT);
  // One that an agent has started makes room for the service.
  const running = brokerOf(context, 'stop');
  if (running !== undefined && !dryRun) await tell(runningSocket(running), running.hello);
  const steps = (await manager.install(dryRun)).map((step) => ({ ...step, scheduler: manager.id }));
  return printSteps('install', steps, flags, context, NONE);
}

/** `mempalace broker remove`. */
export async function brokerRemove(context: CommandContext, flags: InstallFlags): Promise<number> {
  const { dryRun = false } = flags;
  const steps: SchedulerStep[] = [];
  for (const manager of servicesOf(context, flags)) {
    if (flags.with !== undefined && manager.id !== flags.with) continue;
    steps.push(...(await manager.remove(dryRun)).map((step) => ({ ...step, scheduler: manager.id })));
  }
  return printSteps('remove', steps, flags, context, NONE);
}

function servicesOf({ env, folders, config }: CommandContext, { bin }: InstallFlags) {
  const palace = config.origins.get('palace') === '--palace' ? config.palace : undefined;
  return brokerServicesAt(placeOf({ env, folders, bin, palace }));
}
