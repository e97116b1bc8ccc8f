import { Argument } from 'commander';
import { createCommand } from '../../app/options.js';
import { perform } from '../../app/runner.js';
import { DIARY_ACTIONS, type DiaryFlags } from './actions.js';

const HELP = `
What it does:
  read          the last entries, whole, the newest first
  write [text]  a new entry; without a text, or for -, what stdin holds

An entry is what an agent thought of a session: what was decided, learned, left
open. It is kept whole in wing_<agent>, room diary, and found by search like
everything else; mempalace wake-up tells the last ones. The same words about the
same topic within a day are the same entry, so a call may be tried again.

Examples:
  mempalace diary write --agent opencode "Set the cookie to Lax. Left: tests."
  mempalace diary read --agent opencode --last 3   its last three entries`;

export const diary = createCommand('diary', 'Diaries of agents: read them, write into one')
  .addArgument(new Argument('<what>', 'what to do').choices(DIARY_ACTIONS))
  .argument('[text...]', 'write: the entry')
  .option('--agent <name>', "whose (write: needed; read: default everybody's)")
  .option('--topic <name>', 'write: what it is about (default: general); read: only this topic')
  .option('--wing <name>', 'write: file it there (default: wing_<agent>); read: only of this wing')
  .option('--last <n>', 'read: so many entries (default: 10)')
  .option('--offset <n>', 'read: leave out so many of the newest')
  .option('--no-redact', 'write: keep secrets as they are (they will be found by search)')
  .option('--no-pager', 'read: print it all at once')
  .addHelpText('after', HELP)
  .action((what: string, words: string[], flags: DiaryFlags) =>
    perform(flags, async (context) => (await import('./run.js')).runDiary(what, words, flags, context)),
  );
