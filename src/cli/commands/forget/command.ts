import { countOption, createCommand, type FlagsOf, waitOption } from '../../app/options.js';
import { lazily } from '../../app/runner.js';

const HELP = `
This erases the text, its words and vectors, facts of mempalace kg taken from
it, staged files, and free pages of the palace. Backups kept in the palace
folder are rewritten without it, or removed with --backups, which is faster. A
tombstone stays, with the source's key and path but no title or text: later runs
skip the source as "forgotten", including copies in forks of a session. Not
erased: backups that you made elsewhere, exports, and a document that was
renamed or moved to another project, which is filed again under its new name.

Examples:
  mempalace forget --source docs/secret.md --dry-run   what would be erased
  mempalace forget --session ses_0123456789            a session
  mempalace forget --list                              forgotten sources`;

export const forget = createCommand('forget', 'Erase sources, and prevent runs from filing them again')
  .option('--source <name>', 'a source key, a path, or a source_file (or the end of one)')
  .option('--session <id>', 'this session')
  .option('--wing <name>', 'everything in this wing')
  .addOption(countOption('--run <id>', 'everything that this run filed last (see mempalace list runs)', 1))
  .option('--allow-again', 'remove the tombstones instead; the next run files the sources again')
  .option('--list', 'list forgotten sources')
  .option('--backups', 'remove kept backups that contain it, and damaged palaces that may contain it')
  .option('--dry-run', 'show what would be erased; change nothing')
  .option('--preview <id>', 'erase only if it is what this --dry-run --json showed')
  .option('--yes', 'do not ask')
  .addOption(waitOption())
  .addHelpText('after', HELP);
export type ForgetFlags = FlagsOf<typeof forget>;
forget.action(lazily(async () => (await import('./run.js')).runForget, { here: true }));
