import { commandOf } from '../../../adapters/cli.js';
import { tasks } from '../../../operations/tasks.js';
import { createCommand } from '../../app/options.js';

const HELP = `
Agents leave work to each other, or to a later session. A task has one taker:
when several take at the same time, each gets another one.

Examples:
  mempalace task add "Check the rounding of refunds" --for codex
  mempalace task take --agent codex           the oldest open task
  mempalace task done 7 --result "half up, as for invoices"`;

export const task = createCommand('task', 'Tasks that agents leave to each other')
  .addCommand(commandOf(tasks.taskAdd))
  .addCommand(commandOf(tasks.taskTake))
  .addCommand(commandOf(tasks.taskDone))
  .addCommand(commandOf(tasks.taskList))
  .addCommand(commandOf(tasks.taskDrop))
  .addHelpText('after', HELP);
