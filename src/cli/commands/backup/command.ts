import { createCommand } from '../../app/options.js';
import { lazily } from '../../app/runner.js';

const HELP = `
The copy is a consistent snapshot in one file, verified, and readable only by
you; others can write meanwhile. In a folder, the file is named after the time.
To restore it: mempalace restore <file>

Examples:
  mempalace backup ~/palace.sqlite3   to a file
  mempalace backup /media/stick       to a folder, named after the time`;

export const backup = createCommand('backup', 'Copy the palace to a file, even while others use it')
  .argument('<file>', 'the new file, or a folder for it')
  .option('--force', 'overwrite an older backup with that name')
  .option('--migrate', 'then migrate the palace, with this file as its only backup')
  .addHelpText('after', HELP)
  .action(lazily(async () => (await import('./run.js')).runBackup, { here: true }));
