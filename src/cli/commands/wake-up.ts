import { commandOf } from '../../adapters/cli.js';
import { waking } from '../../operations/wake-up/index.js';

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

export const command = commandOf(waking.wakeUp).addHelpText('after', HELP);
