import { countOption, createCommand, waitOption } from '../../app/options.js';
import { lazily } from '../../app/runner.js';

const HELP = `
Erased are the text, its words and vectors, the facts of mempalace kg that were
taken from it, the staged files, free pages of the palace and what the backups
beside it hold: each is rewritten without it, or removed with --backups,
which is faster. A mark stays: later runs skip it and
say "forgotten", also what forks copied of a session. It holds the source's key
and place, no title and no text. Not reached: backups that you made elsewhere,
exports, and a document that was renamed or moved to another project since: it
comes back under its new name. --run means what that run filed last.

Examples:
  mempalace forget --source docs/secret.md --dry-run   what would be erased
  mempalace forget --session ses_0123456789            a session
  mempalace forget --list                              what is forgotten`;

export const forget = createCommand('forget', 'Erase sources, and keep runs from filing them again')
  .option('--source <name>', 'a source key, a path, a source_file or the end of one')
  .option('--session <id>', 'a session')
  .option('--wing <name>', 'all that a wing holds now')
  .addOption(countOption('--run <id>', 'everything that this run filed last (see mempalace list runs)', 1))
  .option('--allow-again', 'lift the marks instead: the next run files it again')
  .option('--list', 'list what is forgotten')
  .option('--backups', 'remove the kept backups that contain it, and damaged palaces that may contain it')
  .option('--dry-run', 'say what would be erased, touch nothing')
  .option('--yes', 'do not ask')
  .addOption(waitOption())
  .addHelpText('after', HELP)
  .action(lazily(async () => (await import('./run.js')).runForget));
