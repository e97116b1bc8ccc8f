import type { Command } from 'commander';
import { choiceOption, createCommand } from '../../app/options.js';
import { lazily } from '../../app/runner.js';

const HELP = `
Without a command, schedule shows what is installed. install runs
mempalace-session every week, and mempalace-docs --all if projects are listed.
It may be repeated. contrib/README.md describes the same steps by hand.

Examples:
  mempalace schedule install   have them run every week
  mempalace schedule           when they run next, and how the last run ended`;

const DRY_RUN = ['--dry-run', 'say what would be done, touch nothing'] as const;
const BIN = [
  '--bin <folder>',
  'where the programs are (default: beside this one, else ~/.local/bin)',
] as const;

/** What all three take. */
function withChoice(command: Command): Command {
  return command
    .addOption(
      choiceOption('--with <scheduler>', 'the scheduler (default: what this machine has)', [
        'systemd',
        'launchd',
        'cron',
      ]),
    )
    .addOption(
      choiceOption('--only <feeder>', 'one of the two feeders (default: both)', ['session', 'docs']),
    );
}

export const schedule = createCommand('schedule', 'Have the feeders run every week, and see how that goes')
  .addCommand(
    withChoice(
      createCommand('status', 'Show what is installed, when it runs next, and how its last run ended'),
    ).action(lazily(async () => (await import('./run.js')).showStatus)),
    { isDefault: true },
  )
  .addCommand(
    withChoice(createCommand('install', 'Have the feeders run every week'))
      .option(...BIN)
      .option(...DRY_RUN)
      .action(lazily(async () => (await import('./run.js')).install)),
  )
  .addCommand(
    withChoice(createCommand('remove', 'Remove what install made'))
      .option(...BIN)
      .option(...DRY_RUN)
      .action(lazily(async () => (await import('./run.js')).remove)),
  )
  .addHelpText('after', HELP);
