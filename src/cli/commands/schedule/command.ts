import { Argument, Option } from 'commander';
import { createCommand } from '../../app/options.js';
import { perform } from '../../app/runner.js';
import type { ScheduleFlags } from './run.js';

const HELP = `
What it does:
  status    what is installed, when it runs next, when it ran last and how that
            ended
  install   have mempalace-session, and mempalace-docs --all where projects are
            listed, run every week
  remove    take away what install made

Installing twice changes nothing. contrib/README.md has the same steps to be
done by hand.

Examples:
  mempalace schedule install   have them run every week
  mempalace schedule           when they run next, and how the last run ended`;

export const schedule = createCommand('schedule', 'Have the feeders run every week, and see how that goes')
  .addArgument(
    new Argument('[what]', 'what to do').choices(['status', 'install', 'remove']).default('status'),
  )
  .addOption(
    new Option('--with <scheduler>', 'the scheduler (default: what this machine has)').choices([
      'systemd',
      'launchd',
      'cron',
    ]),
  )
  .addOption(
    new Option('--only <feeder>', 'one of the two feeders (default: both)').choices(['session', 'docs']),
  )
  .option('--bin <folder>', 'install: where the programs lie (default: beside this one, else ~/.local/bin)')
  .option('--dry-run', 'say what would be done, touch nothing')
  .addHelpText('after', HELP)
  .action((what: string, flags: ScheduleFlags) =>
    perform(flags, async (context) => (await import('./run.js')).runSchedule(what, flags, context)),
  );
