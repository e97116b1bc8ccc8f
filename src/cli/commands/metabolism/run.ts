import type { z } from 'zod/mini';
import { UserError } from '../../../core/errors.js';
import type { Output } from '../../../core/metabolism.js';
import { DOES, lineOf, metabolisms, step } from '../../../operations/metabolism.js';
import type { Answer } from '../../../service/contract/index.js';
import { canAsk, confirm } from '../../app/confirm.js';
import { withService } from '../../app/open-service.js';
import type { CommonFlags } from '../../app/options.js';
import type { CommandContext } from '../../app/runner.js';

export interface MetabolismFlags extends CommonFlags {
  leastUses?: number;
  oldDays?: number;
  apply?: string;
  as?: Output;
  into?: string;
  interactive?: boolean;
}

type Report = z.output<ReturnType<typeof metabolisms.metabolism.output>>;
export type Step = z.output<ReturnType<typeof step.output>>;

/** Does one step, or asks for each. @throws UserError `usage` for flags that exclude each other */
export async function doSteps(context: CommandContext, flags: MetabolismFlags): Promise<boolean> {
  const { terminal, config } = context;
  const { apply, interactive = false, as, into } = flags;
  if (apply !== undefined && interactive)
    throw new UserError('usage', '--apply does one step, --interactive asks for each: give one of them');
  if (apply === undefined && !interactive) {
    if ((as ?? into) !== undefined)
      throw new UserError('usage', '--as and --into are for --apply and --interactive');
    return false;
  }
  if (interactive && !canAsk(terminal))
    throw new UserError('usage', '--interactive needs a terminal', {
      hint: 'mempalace metabolism --apply <id> does one step',
    });
  const asked = { least_uses: flags.leastUses, old_days: flags.oldDays, cold: config.search.cold };
  const ask = (operation: typeof step | typeof metabolisms.metabolism, more = {}): Promise<Answer> =>
    withService(context, (service, call) => service.ask(operation, { ...asked, ...more }, call));
  const done = async (id: string): Promise<void> => {
    const needs = (await ask(step, { id })) as Step;
    const { applied } = await import('./apply.js');
    const { file, text } = await applied(needs, { as, into }, context);
    terminal.json({ command: 'mempalace metabolism', applied: needs.proposal, file });
    terminal.say(text);
  };
  if (apply !== undefined) {
    await done(apply);
    return true;
  }
  const { proposals } = (await ask(metabolisms.metabolism)) as Report;
  for (const each of proposals) {
    terminal.data(lineOf(each));
    if (await confirm(`${DOES[each.step]}?`, false, context)) await done(each.id);
  }
  if (proposals.length === 0) terminal.note('nothing to propose');
  return true;
}
