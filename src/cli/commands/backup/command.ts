import { createCommand } from '../../app/options.js';
import { lazily } from '../../app/runner.js';

const HELP = `
The copy is the palace at one moment, whatever others write meanwhile: one file,
checked, readable by you alone. In a folder it gets the time for a name. Restore
it with: mempalace restore <file>

Examples:
  mempalace backup ~/palace.sqlite3   to a file
  mempalace backup /media/stick       to a folder, with the time for a name`;

export const backup = createCommand('backup', 'Copy the palace to a file while others use it')
  .argument('<file>', 'the file to make, or a folder to make it in')
  .option('--force', 'overwrite an older backup of that name')
  .option('--migrate', 'then bring the palace up to date, with this file as its only backup')
  .addHelpText('after', HELP)
  .action(lazily(async () => (await import('./run.js')).runBackup));
