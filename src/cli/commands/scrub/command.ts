import { createCommand, type FlagsOf, waitOption } from '../../app/options.js';
import { lazily } from '../../app/runner.js';

const HELP = `
Searches sources that were filed by earlier versions, with --no-redact or with
other privacy.rules, and applies the current rules to texts, titles and records
of runs. Redacted text is erased from the palace's file and from staged copies,
and cannot be restored. Backups in the palace folder that still contain it are
listed (exit code 3), or deleted with --backups. Backups that you made
elsewhere, and exports, are not changed.

Examples:
  mempalace scrub --dry-run   count what would be redacted, by kind
  mempalace scrub --backups   redact, and delete backups that contain it
  mempalace scrub --all       check again what was checked with these rules`;

export const scrub = createCommand('scrub', 'Apply the current privacy rules to filed sources')
  .option('--wing <name>', 'only sources in this wing')
  .option('--all', 'check every source, even if it was checked with the current rules')
  .option('--backups', 'delete kept backups that still contain it')
  .option('--dry-run', 'count what would be redacted, by kind; change nothing')
  .addOption(waitOption())
  .addHelpText('after', HELP);
export type ScrubFlags = FlagsOf<typeof scrub>;
scrub.action(lazily(async () => (await import('./run.js')).runScrub, { here: true }));
