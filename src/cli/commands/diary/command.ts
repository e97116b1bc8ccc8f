import { commandOf } from '../../../adapters/cli.js';
import { diary as operations } from '../../../operations/diary.js';
import { createCommand } from '../../app/options.js';

const HELP = `
An agent writes an entry about a session: decisions, findings, open tasks. The
whole text is stored in wing_<agent>, room diary. Search finds it, and
mempalace wake-up prints the last entries. The same text about the same topic
within a day is stored once, so a call can be repeated.

Examples:
  mempalace diary write --agent opencode "Set the cookie to Lax. Left: tests."
  mempalace diary read --agent opencode --last 3   the last three entries`;

export const diary = createCommand('diary', 'Read and write diaries of agents')
  .addCommand(commandOf(operations.diaryRead))
  .addCommand(commandOf(operations.diaryWrite))
  .addHelpText('after', HELP);
