import { createCommand, waitOption } from '../../app/options.js';
import { lazily } from '../../app/runner.js';

const HELP = `
What is there now is kept in <palace>/backups first, where the last three stay:
those made before restore, repair, reembed, verify --apply and migrations.
Readers see the old palace or the new one. A damaged palace is moved aside,
never deleted. What was forgotten since the backup was made stays forgotten.

Examples:
  mempalace restore --list                  which backups there are
  mempalace restore --last                  the newest of them
  mempalace restore ~/palace.sqlite3        one that you made`;

export const restore = createCommand('restore', 'Put a backup in the place of the palace')
  .argument('[file]', 'the backup')
  .option('--last', 'the newest backup that is kept beside the palace')
  .option('--list', 'list the backups that are kept beside the palace')
  .option('--dry-run', 'check the backup and say what would be done, touch nothing')
  .option('--yes', 'do not ask')
  .option('--no-backup', 'keep no backup of what is there now')
  .addOption(waitOption())
  .addHelpText('after', HELP)
  .action(lazily(async () => (await import('./run.js')).runRestore));
