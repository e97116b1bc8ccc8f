import type { Command } from 'commander';
import { choiceOption, createCommand } from '../../app/options.js';
import { lazily } from '../../app/runner.js';

const HELP = `
Without a command, schedule shows the installed schedules. install runs
mempalace-session every week, and mempalace-docs --all if projects are listed.
Installing twice changes nothing. contrib/README.md describes the manual steps.

Examples:
  mempalace schedule install   run the feeders every week
  mempalace schedule           next runs, and results of the last ones`;

const DRY_RUN = ['--dry-run', 'show what would be done; change nothing'] as const;
const BIN = [
  '--bin <folder>',
  'folder of the programs (default: the folder of this one, else ~/.local/bin)',
] as const;

/** Options of all three commands. */
function withChoice(command: Command): Command {
  return command
    .addOption(
      choiceOption('--with <scheduler>', 'the scheduler (default: the one of this machine)', [
        'systemd',
        'launchd',
        'cron',
      ]),
    )
    .addOption(choiceOption('--only <feeder>', 'only this feeder (default: both)', ['session', 'docs']));
}

export const schedule = createCommand('schedule', 'Run the feeders every week')
  .addCommand(
    withChoice(createCommand('status', 'Show installed schedules, next runs and last results')).action(
      lazily(async () => (await import('./run.js')).showStatus),
    ),
    { isDefault: true },
  )
  .addCommand(
    withChoice(createCommand('install', 'Install the weekly schedule'))
      .option(...BIN)
      .option(...DRY_RUN)
      .action(lazily(async () => (await import('./run.js')).install)),
  )
  .addCommand(
    withChoice(createCommand('remove', 'Remove the weekly schedule'))
      .option(...BIN)
      .option(...DRY_RUN)
      .action(lazily(async () => (await import('./run.js')).remove)),
  )
  .addHelpText('after', HELP);
