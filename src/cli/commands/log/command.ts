import { LOG_LEVELS, LOGS } from '../../../core/logs.js';
import { choiceOption, countOption, createCommand, type FlagsOf } from '../../app/options.js';
import { lazily } from '../../app/runner.js';

const HELP = `
The logs are: broker (when brokers began and ended, and their troubles), hooks
(the runs in the background), writes (what agents and the page changed, who did
it, and when), and programs (the file of $MEMPALACE_LOG_FILE, if there is one).

Examples:
  mempalace log                   the last lines of all logs, newest first
  mempalace log --of writes       what agents and the page changed
  mempalace log --level warn      warnings and errors`;

export const log = createCommand('log', 'Show the last lines of the logs, newest first')
  .addOption(choiceOption('--of <log>', 'only this log', LOGS))
  .addOption(
    choiceOption('--level <level>', 'only lines of this level, and of more important ones', LOG_LEVELS),
  )
  .addOption(countOption('--limit <n>', 'lines to show', 1).default(50))
  .addHelpText('after', HELP);
export type LogFlags = FlagsOf<typeof log>;
log.action(lazily(async () => (await import('./document.js')).showLog));
