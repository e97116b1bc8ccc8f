import { createCommand, waitOption } from '../../app/options.js';
import { lazily } from '../../app/runner.js';

const HELP = `
Rebuilds from the rows what follows from them: the lexical index, the codes of
vectors, SQLite's own indexes. Vectors are kept; where one is gone, its text is
embedded again. A backup is kept first. Then the file is rewritten without
gaps. A repair that is stopped or killed loses nothing. Rows that are damaged
need mempalace restore --last.

Examples:
  mempalace repair --dry-run   what is wrong
  mempalace repair             rebuild it, after a question`;

export const repair = createCommand('repair', 'Rebuild the indexes of the palace from its rows')
  .option('--yes', 'do not ask')
  .option('--dry-run', 'look for what is wrong, touch nothing')
  .option('--no-backup', 'keep no backup of the palace first')
  .addOption(waitOption())
  .addHelpText('after', HELP)
  .action(lazily(async () => (await import('./run.js')).runRepair));

const STATUS_HELP = `
Reads the tables, compares counts, and looks at a sample of the codes: 4 s for
500,000 drawers. --full reads indexes and codes as well. Exit code 1 when
something is wrong.

Examples:
  mempalace repair-status          a look
  mempalace repair-status --full   every page, index and code`;

export const repairStatus = createCommand('repair-status', 'Report what a repair would find')
  .option('--full', 'check every page, index and code')
  .addHelpText('after', STATUS_HELP)
  .action(lazily(async () => (await import('./run.js')).runRepairStatus));
