import { countOption, createCommand } from '../../app/options.js';
import { lazily } from '../../app/runner.js';

const HELP = `
An entry is what an agent thought of a session: what was decided, learned, left
open. It is kept whole in wing_<agent>, room diary, and found by search like
everything else; mempalace wake-up tells the last ones. The same words about the
same topic within a day are the same entry, so a call may be tried again.

Examples:
  mempalace diary write --agent opencode "Set the cookie to Lax. Left: tests."
  mempalace diary read --agent opencode --last 3   its last three entries`;

export const diary = createCommand('diary', 'Diaries of agents: read them, write into one')
  .addCommand(
    createCommand('read', 'Read the last entries, whole, the newest first')
      .option('--agent <name>', "whose (default: everybody's)")
      .option('--topic <name>', 'only about this topic')
      .option('--wing <name>', 'only of this wing')
      .addOption(countOption('--last <n>', 'entries to show', 1).default(10))
      .addOption(countOption('--offset <n>', 'entries to skip, of the newest', 0).default(0))
      .option('--no-pager', 'print it all at once')
      .action(lazily(async () => (await import('./run.js')).read)),
  )
  .addCommand(
    createCommand('write', 'Write a new entry')
      .argument('[text...]', 'the entry (default, and for -: what is on stdin)')
      .requiredOption('--agent <name>', 'the name of the writer, such as opencode')
      .option('--topic <name>', 'what it is about (default: general)')
      .option('--wing <name>', 'file it there (default: wing_<agent>)')
      .option('--no-redact', 'keep secrets as they are (they will be found by search)')
      .action(lazily(async () => (await import('./run.js')).write)),
  )
  .addHelpText('after', HELP);
