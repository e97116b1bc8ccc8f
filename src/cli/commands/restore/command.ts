import { createCommand, type FlagsOf, waitOption } from '../../app/options.js';
import { lazily } from '../../app/runner.js';

const HELP = `
The current palace is first copied to <palace>/backups, which keeps the last
three backups made before restore, repair, reembed, verify --apply and
migrations. Readers see either the old or the new palace. A damaged palace is
moved aside, never deleted. Sources forgotten after the backup stay forgotten.

Examples:
  mempalace restore --list                  list the backups
  mempalace restore --last                  restore the newest backup
  mempalace restore ~/palace.sqlite3        restore your own backup`;

export const restore = createCommand('restore', 'Replace the palace by a backup')
  .argument('[file]', 'the backup')
  .option('--last', 'restore the newest kept backup')
  .option('--list', 'list the kept backups')
  .option('--dry-run', 'check the backup and show what would be done; change nothing')
  .option('--yes', 'do not ask')
  .option('--no-backup', 'keep no backup of the current palace')
  .addOption(waitOption())
  .addHelpText('after', HELP);
export type RestoreFlags = FlagsOf<typeof restore>;
restore.action(lazily(async () => (await import('./run.js')).runRestore, { here: true }));
