import { createCommand } from '../../app/options.js';
import { lazily } from '../../app/runner.js';

const HELP = `
One process per palace owns the model and serves every agent: mempalace-mcp
starts it, and it ends by itself 30 minutes after its last client. The setting
broker.use (or MEMPALACE_BROKER) is auto, off, or the address of a broker.

Examples:
  mempalace broker status   does it run, and how many agents use it
  mempalace broker ensure   start it unless it runs, and print its address
  mempalace broker stop     end it after the open calls`;

export const broker = createCommand('broker', 'The process that serves all agents of a palace')
  .addCommand(
    createCommand('status', 'Show whether the broker runs').action(
      lazily(async () => (await import('./run.js')).brokerStatus),
    ),
  )
  .addCommand(
    createCommand('ensure', 'Start the broker unless it runs, and print its address').action(
      lazily(async () => (await import('./run.js')).brokerEnsure),
    ),
  )
  .addCommand(
    createCommand('stop', 'Stop it after the open calls; the next call of an agent starts it again').action(
      lazily(async () => (await import('./run.js')).brokerStop),
    ),
  )
  .addCommand(
    createCommand('run', 'Be the broker, in the foreground').action(
      lazily(async () => (await import('./serve.js')).brokerRun),
    ),
  )
  .addHelpText('after', HELP);
