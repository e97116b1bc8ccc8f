import { choiceOption, createCommand, type FlagsOf } from '../../app/options.js';
import { lazily } from '../../app/runner.js';

const HELP = `
Without a command, schedule shows the installed schedules. install runs
mempalace-session every week, and mempalace-docs --all if projects are listed.
Installing twice changes nothing. contrib/README.md describes the manual steps.

Examples:
  mempalace schedule install   run the feeders every week
  mempalace schedule           next runs, and results of the last ones`;

/** Those of all three commands. */
const choosing = (name: string, description: string) =>
  createCommand(name, description)
    .addOption(
      choiceOption('--with <scheduler>', 'the scheduler (default: the one of this machine)', [
        'systemd',
        'launchd',
        'cron',
      ]),
    )
    .addOption(choiceOption('--only <feeder>', 'only this feeder (default: both)', ['session', 'docs']));
export type StatusFlags = FlagsOf<ReturnType<typeof choosing>>;

const changing = (name: string, description: string) =>
  choosing(name, description)
    .option('--bin <folder>', 'folder of the programs (default: the folder of this one, else ~/.local/bin)')
    .option('--dry-run', 'show what would be done; change nothing');
export type ScheduleFlags = FlagsOf<ReturnType<typeof changing>>;

export const schedule = createCommand('schedule', 'Run the feeders every week')
  .addCommand(
    choosing('status', 'Show installed schedules, next runs and last results').action(
      lazily(async () => (await import('./run.js')).showStatus),
    ),
    { isDefault: true },
  )
  .addCommand(
    changing('install', 'Install the weekly schedule').action(
      lazily(async () => (await import('./run.js')).install),
    ),
  )
  .addCommand(
    changing('remove', 'Remove the weekly schedule').action(
      lazily(async () => (await import('./run.js')).remove),
    ),
  )
  .addHelpText('after', HELP);
