import { countOption, createCommand } from '../../app/options.js';
import { lazily } from '../../app/runner.js';

const HELP = `
Prints as much as fits, most important first: your identity file
(~/.mempalace/identity.txt, or wake_up.identity in the configuration), passages
that you pinned or gave a high priority (see mempalace set and mempalace
projects), the last diary entries (see mempalace diary) and sessions, and a list
of the rooms. All of it is of the project that contains the current folder. In
a folder of no filed project, only your identity, what you pinned and the
sessions of that folder are printed, with the size of the palace. While no
project is filed, a folder without sessions gets the whole palace. Four
characters count as one token; so does one character of Chinese, Japanese or
Korean.

Examples:
  mempalace wake-up                                 what a session here is told
  mempalace wake-up --wing wing_shop --tokens 400   from one wing, shorter
  mempalace wake-up --everywhere                    from the whole palace`;

const LEAST_TOKENS = 50;

export const wakeUp = createCommand('wake-up', 'Print context for the start of a session, in few tokens')
  .option('--wing <name>', 'only this wing, and sessions in the folders of its projects')
  .option('--folder <dir>', 'what a session in this folder is told (default: the current folder)')
  .option('--everywhere', 'from the whole palace')
  .option(
    '--agent <name>',
    'only the diary of this agent, from any wing (default: $MEMPALACE_AGENT_NAME, else all diaries)',
  )
  .addOption(
    countOption(
      '--tokens <n>',
      'print at most this many tokens (default: 900, or wake_up.tokens in the configuration)',
      LEAST_TOKENS,
    ),
  )
  .addHelpText('after', HELP)
  .action(lazily(async () => (await import('./run.js')).runWakeUp));
