import { countOption, createCommand, wingOption } from '../../app/options.js';
import { lazily } from '../../app/runner.js';

const HELP = `
An agent writes an entry about a session: decisions, findings, open tasks. The
whole text is stored in wing_<agent>, room diary. Search finds it, and
mempalace wake-up prints the last entries. The same text about the same topic
within a day is stored once, so a call can be repeated.

Examples:
  mempalace diary write --agent opencode "Set the cookie to Lax. Left: tests."
  mempalace diary read --agent opencode --last 3   the last three entries`;

export const diary = createCommand('diary', 'Read and write diaries of agents')
  .addCommand(
    createCommand('read', 'Print the last entries, newest first')
      .option('--agent <name>', 'the diary of this agent (default: $MEMPALACE_AGENT_NAME, else all diaries)')
      .option('--topic <name>', 'only this topic')
      .addOption(wingOption('only this wing'))
      .addOption(countOption('--last <n>', 'entries to show', 1).default(10))
      .addOption(countOption('--offset <n>', 'skip this many of the newest entries', 0).default(0))
      .option('--no-pager', 'do not use a pager')
      .action(lazily(async () => (await import('./run.js')).read)),
  )
  .addCommand(
    createCommand('write', 'Write a new entry')
      .argument('[text...]', 'the entry; - or nothing reads it from stdin')
      .option('--agent <name>', 'the name of the writer, such as opencode (default: $MEMPALACE_AGENT_NAME)')
      .option('--topic <name>', 'the topic (default: general)')
      .addOption(wingOption('the wing (default: wing_<agent>)'))
      .option('--no-redact', 'file secrets unchanged (search will find them)')
      .action(lazily(async () => (await import('./run.js')).write)),
  )
  .addHelpText('after', HELP);
