import {
  type CommonFlags,
  choiceOption,
  createCommand,
  type FlagsOf,
  waitOption,
} from '../../app/options.js';
import { lazily } from '../../app/runner.js';

const HELP = `
One process per palace owns the model and serves every agent: mempalace-mcp
starts it, and it ends by itself 30 minutes after its last client. The setting
broker.use (or MEMPALACE_BROKER) is auto, off, or the address of a broker.

Examples:
  mempalace broker status   does it run, and how many agents use it
  mempalace broker ensure   start it unless it runs, and print its address
  mempalace broker stop     end it after the open calls
  mempalace broker install  start it at login, and keep it running`;

/** Options of the commands about a service. */
const serviceCommand = (name: string, description: string) =>
  createCommand(name, description)
    .addOption(
      choiceOption('--with <manager>', 'the manager of services (default: the one of this machine)', [
        'systemd',
        'launchd',
      ]),
    )
    .option('--bin <folder>', 'folder of the programs (default: the folder of this one, else ~/.local/bin)')
    .option('--dry-run', 'show what would be done; change nothing');
export type ServiceFlags = FlagsOf<ReturnType<typeof serviceCommand>>;

const runIt = createCommand('run', 'Be the broker, in the foreground').option(
  '--stay',
  'take the place of a broker that an agent has started; do not end without clients',
);
export type RunFlags = FlagsOf<typeof runIt>;

export const command = createCommand('broker', 'The process that serves all agents of a palace')
  .addCommand(
    createCommand('status', 'Show whether the broker runs').action(
      lazily(async () => (await import('./run.js')).brokerStatus),
    ),
    { isDefault: true },
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
  .addCommand(runIt.action(lazily(async () => (await import('./serve.js')).brokerRun)))
  .addCommand(
    createCommand(
      'connect',
      'Connect stdin and stdout to the broker: for programs of other machines, over SSH',
    ).action(lazily(async () => (await import('./connect.js')).brokerConnect)),
  )
  .addCommand(
    createCommand('receive', 'File what another machine sent; the broker runs it')
      .argument('<folder>', 'the folder of the upload')
      .addOption(waitOption())
      .action(
        lazily(async () => {
          const { fileReceived } = await import('../../app/receiving.js');
          return async (context, { wait }: CommonFlags & { wait: number }, folder: string) =>
            context.terminal.json(await fileReceived(folder, wait, context));
        }),
      ),
    { hidden: true },
  )
  .addCommand(
    serviceCommand('install', 'Start it at login and keep it running; not required').action(
      lazily(async () => (await import('./install.js')).brokerInstall),
    ),
  )
  .addCommand(
    serviceCommand('remove', 'Remove that service; agents start the broker again').action(
      lazily(async () => (await import('./install.js')).brokerRemove),
    ),
  )
  .addHelpText('after', HELP);
