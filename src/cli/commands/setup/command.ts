import { UserError } from '../../../core/errors.js';
import { AGENT_IDS, FILE_STEPS } from '../../../setup/pieces.js';
import { createCommand, type FlagsOf, minMessagesOption, parsedOption } from '../../app/options.js';
import { lazily } from '../../app/runner.js';

/** What can be chosen with `--only`, in the order in which it is done. */
export const STEPS = [...FILE_STEPS, 'history', 'project', 'schedule'] as const;
export type SetupStep = (typeof STEPS)[number];

const HELP = `
Without a name, setup takes the agents that it finds on this machine: it adds
the MCP server, the hooks and the skill, files their history and the project of
this folder, and installs the weekly schedule. It shows every change and asks.
Comments, other entries and the layout of a file stay. Setting up twice changes
nothing. --undo takes back what setup wrote.

What it writes, by agent: docs/setup.md.

Agents: ${AGENT_IDS.join(', ')}

Examples:
  mempalace setup                           every agent of this machine
  mempalace setup claude-code --only hooks  one step for one agent
  mempalace setup --dry-run                 show the changes only
  mempalace setup --undo                    take all of it back`;

export const command = createCommand('setup', 'Make the agents of this machine remember by themselves')
  .argument('[agent...]', 'agents (default: those of this machine)')
  .addOption(parsedOption('--only <steps>', `only these steps, of ${STEPS.join(', ')}`, stepsOf))
  .addOption(minMessagesOption('leave out sessions with fewer messages'))
  .option('--undo', 'take back what setup wrote, and our entries that were added by hand')
  .option('--dry-run', 'show the changes; change nothing')
  .option('--yes', 'do not ask')
  .addHelpText('after', HELP)
  .action(lazily(async () => (await import('./run.js')).runSetup));
export type SetupFlags = FlagsOf<typeof command>;

function stepsOf(flag: string, text: string): SetupStep[] {
  const words = text.split(',').map((word) => word.trim());
  for (const word of words)
    if (!STEPS.some((step) => step === word))
      throw new UserError('usage', `${flag}: ${JSON.stringify(word)} is not one of ${STEPS.join(', ')}`);
  return STEPS.filter((step) => words.includes(step));
}
