import { createCommand, type FlagsOf, waitOption } from '../../app/options.js';
import { lazily } from '../../app/runner.js';

const HELP = `
Rebuilds everything derived from the rows: the lexical index, the codes of
vectors and SQLite's own indexes. Vectors are kept; a text whose vector is
missing is embedded again. A backup is made first, and the file is compacted
afterwards. Stopping or killing a repair loses nothing. Damaged rows cannot be
repaired: use mempalace restore --last.

Examples:
  mempalace repair --dry-run   list the problems
  mempalace repair             rebuild, after confirmation`;

export const repair = createCommand('repair', 'Rebuild the indexes of the palace from its rows')
  .option('--yes', 'do not ask')
  .option('--dry-run', 'look for problems; change nothing')
  .option('--no-backup', 'keep no backup of the palace')
  .addOption(waitOption())
  .addHelpText('after', HELP);
export type RepairFlags = FlagsOf<typeof repair>;
repair.action(lazily(async () => (await import('./run.js')).runRepair, { here: true }));

const STATUS_HELP = `
Reads the tables, compares counts, and checks a sample of the codes: 4 s for
500,000 drawers. --full also reads all indexes and codes. Exit code 1 means that
a problem was found.

Examples:
  mempalace repair-status          a quick check
  mempalace repair-status --full   every page, index and code`;

export const repairStatus = createCommand('repair-status', 'Report problems that a repair would find')
  .option('--full', 'check every page, index and code')
  .addHelpText('after', STATUS_HELP);
export type RepairStatusFlags = FlagsOf<typeof repairStatus>;
repairStatus.action(lazily(async () => (await import('./run.js')).runRepairStatus, { here: true }));
