import { UserError } from '../../../core/errors.js';
import type { Scheduler, SchedulerId, Step } from '../../../schedule/index.js';
import { line } from '../../../terminal/terminal.js';
import { EXIT } from '../../app/exit.js';
import type { CommandContext } from '../../app/runner.js';

/** A step with the program that takes it. */
export type SchedulerStep = Step & { scheduler: SchedulerId };

/** The scheduled programs use the palace of --palace. */
export function optionsOf({ env, folders, config }: CommandContext, bin?: string) {
  const palace = config.origins.get('palace') === '--palace' ? config.palace : undefined;
  return { env, folders, bin, palace };
}

/**
 * The first scheduler that can be used here.
 *
 * @param hint what to do without one
 * @throws UserError `failed` if the wanted scheduler, or none of them, can be used here
 */
export async function chosen<T extends Pick<Scheduler, 'id' | 'unavailable'>>(
  schedulers: readonly T[],
  wanted: SchedulerId | undefined,
  hint: string,
): Promise<T> {
  const reasons: string[] = [];
  for (const scheduler of schedulers) {
    if (wanted !== undefined && scheduler.id !== wanted) continue;
    const unavailable = await scheduler.unavailable();
    if (unavailable === undefined) return scheduler;
    const { reason, hint: cure } = unavailable;
    if (wanted !== undefined)
      throw new UserError('failed', `${wanted} cannot be used here: ${reason}`, { hint: cure });
    reasons.push(`${scheduler.id}: ${reason}`);
  }
  throw new UserError('failed', `no scheduler can be used on this machine (${reasons.join('; ')})`, {
    hint,
  });
}

/** @param none said where there was nothing to do @returns the exit code */
export function printSteps(
  action: 'install' | 'remove',
  steps: readonly SchedulerStep[],
  { dryRun = false }: { dryRun?: boolean },
  { terminal }: Pick<CommandContext, 'terminal'>,
  none: string,
): number {
  terminal.json({
    action,
    dry_run: dryRun,
    steps: steps.map(({ scheduler, what, done, why }) => ({ scheduler, what, done, why: why ?? null })),
  });
  const shown = steps.filter(({ done, why }) => done !== 'absent' || why !== undefined);
  for (const { what, done, why, problem } of shown) {
    const changes = !['unchanged', 'skipped', 'absent', 'note'].includes(done);
    const verb = dryRun && changes ? `would be ${done}` : done;
    const text = line(`${what}${why === undefined ? '' : ` (${why})`}`);
    if (problem === true) terminal.warn(`${done} ${text}`);
    else terminal.say(`${verb.padEnd(dryRun ? 17 : 9)}  ${text}`);
  }
  if (shown.length === 0) terminal.say(none);
  return steps.some(({ problem }) => problem === true) ? EXIT.incomplete : EXIT.done;
}
