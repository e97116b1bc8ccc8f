import type { z } from 'zod/mini';
import { commandOf } from '../../../adapters/cli.js';
import { UserError } from '../../../core/errors.js';
import { OUTPUTS, type Output } from '../../../core/suggestions.js';
import { DOES, lineOf, step, suggestions } from '../../../operations/suggestions.js';
import type { Answer } from '../../../service/contract/index.js';
import { canAsk, confirm } from '../../app/confirm.js';
import { withService } from '../../app/open-service.js';
import { type CommonFlags, choiceOption } from '../../app/options.js';
import type { CommandContext } from '../../app/runner.js';

const HELP = `
Without --apply and --interactive it only reports. Nothing is ever deleted:
  reflect       often found or opened: a draft in reflection_wing/, as one of
                five types (--as); for a person or an agent to write
  constitution  often used in the reflection wing: pinned, so that wake-up
                tells it first
  archive       a document of a palace of files, old, of no high priority, never
                used: moved into archive_basement/
  cold          a room of such sources: added to search.cold of the settings
Uses are counted beside the palace (the setting \`uses\`). docs/file-palace.md

Examples:
  mempalace suggestions
  mempalace suggestions --apply reflect-1f0c8a2e --as prompt-kernel
  mempalace suggestions --interactive`;

export const command = commandOf(suggestions.metabolism, doSteps)
  .option('--apply <id>', 'do what this suggestion says')
  .addOption(choiceOption('--as <type>', 'type of the draft', OUTPUTS))
  .option('--into <dir>', 'the palace of files for the draft')
  .option('--interactive', 'ask for each suggestion')
  .addHelpText('after', HELP);

export interface SuggestionFlags extends CommonFlags {
  leastUses?: number;
  oldDays?: number;
  apply?: string;
  as?: Output;
  into?: string;
  interactive?: boolean;
}

type Report = z.output<ReturnType<typeof suggestions.metabolism.output>>;
export type Step = Awaited<ReturnType<typeof step.run>>;

/** Does one step, or asks for each. @throws UserError `usage` for flags that exclude each other */
async function doSteps(context: CommandContext, flags: SuggestionFlags): Promise<boolean> {
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
      hint: 'mempalace suggestions --apply <id> does one step',
    });
  const asked = { least_uses: flags.leastUses, old_days: flags.oldDays, cold: config.search.cold };
  const ask = (operation: typeof step | typeof suggestions.metabolism, more = {}): Promise<Answer> =>
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
  const { proposals } = (await ask(suggestions.metabolism)) as Report;
  for (const each of proposals) {
    terminal.data(lineOf(each));
    if (await confirm(`${DOES[each.step]}?`, false, context)) await done(each.id);
  }
  if (proposals.length === 0) terminal.note('nothing to suggest');
  return true;
}
