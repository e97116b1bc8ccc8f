import { countOption, createCommand } from '../../app/options.js';
import { lazily } from '../../app/runner.js';

const HELP = `
Tells, best first, as much as fits: your identity file
(~/.mempalace/identity.txt, or wake_up.identity of the configuration), what is
pinned or of high priority by the user (see mempalace set and mempalace
projects), the last diary entries (see mempalace diary) and sessions, and what
the palace holds. A token is counted as four characters, or as one character of
Chinese, Japanese or Korean.

Examples:
  mempalace wake-up                                 of everything
  mempalace wake-up --wing wing_shop --tokens 400   of one wing, shorter`;

/** With fewer nothing of use can be told. */
const LEAST_TOKENS = 50;

export const wakeUp = createCommand('wake-up', 'What an agent should know at the start, in few tokens')
  .option('--wing <name>', 'only of this wing, and of the sessions held in its projects')
  .option('--agent <name>', 'the diary of this agent, wherever it is filed (default: all diaries)')
  .addOption(
    countOption(
      '--tokens <n>',
      'print at most this many tokens (default: 900, or wake_up.tokens of the configuration)',
      LEAST_TOKENS,
    ),
  )
  .addHelpText('after', HELP)
  .action(lazily(async () => (await import('./run.js')).runWakeUp));
