import { Argument, type Command } from 'commander';
import { parseCount } from '../../../terminal/durations.js';
import { countOption, createCommand } from '../../app/options.js';
import { lazily } from '../../app/runner.js';

const HELP = `
Agents leave work to each other, or to a later session. A task has one taker:
when several take at the same time, each gets another one.

Examples:
  mempalace task add "Check the rounding of refunds" --for codex
  mempalace task take --agent codex           the oldest open task
  mempalace task done 7 --result "half up, as for invoices"`;

function numbered(name: string, description: string, argument: string): Command {
  const id = new Argument(argument, 'the number of the task');
  return createCommand(name, description).addArgument(
    id.argParser((text: string) => parseCount('the number of a task', text, 1)),
  );
}

export const task = createCommand('task', 'Tasks that agents leave to each other')
  .addCommand(
    createCommand('add', 'Add a task')
      .argument('<text...>', 'what is to be done')
      .option('--for <agent>', 'only this agent may take it')
      .action(lazily(async () => (await import('./run.js')).add)),
  )
  .addCommand(
    numbered('take', 'Take a task: nobody else gets it', '[id]')
      .option('--agent <name>', 'the taker (default: $MEMPALACE_AGENT_NAME)')
      .action(lazily(async () => (await import('./run.js')).take)),
  )
  .addCommand(
    numbered('done', 'Record that a task is done', '<id>')
      .option('--agent <name>', 'who has done it; it must be the taker (default: you, who may finish any)')
      .option('--result <text>', 'what came of it')
      .action(lazily(async () => (await import('./run.js')).done)),
  )
  .addCommand(
    createCommand('list', 'List open and taken tasks, oldest first')
      .option('--agent <name>', 'only those that it took or that are for it')
      .option('--all', 'also those that are done')
      .addOption(countOption('--limit <n>', 'tasks to show', 1).default(50))
      .addOption(countOption('--offset <n>', 'tasks to skip', 0).default(0))
      .action(lazily(async () => (await import('./run.js')).list)),
  )
  .addCommand(
    numbered('drop', 'Delete a task', '<id>').action(lazily(async () => (await import('./run.js')).drop)),
  )
  .addHelpText('after', HELP);
