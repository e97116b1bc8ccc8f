import { createCommand, waitOption } from '../../app/options.js';
import { lazily } from '../../app/runner.js';

const HELP = `
Looks through what earlier versions of the program, or runs with --no-redact or
with other privacy.rules, have filed, and redacts what today's rules redact: in
texts, titles, and the records of runs. Nothing of it stays in the palace's
file; staged copies are erased. What is redacted is gone for good. Backups
beside the palace that still hold it are named (exit code 3), or deleted with
--backups. Not reached: backups that you made elsewhere, and exports.

Examples:
  mempalace scrub --dry-run   how many would be redacted, by kind
  mempalace scrub --backups   redact, and delete the backups that contain it
  mempalace scrub --all       look also at what today's rules have seen`;

export const scrub = createCommand('scrub', "Apply today's privacy rules to what is filed")
  .option('--wing <name>', 'only what this wing holds')
  .option('--all', "look at every source, also at those that today's rules have seen")
  .option('--backups', 'delete the kept backups that still contain it')
  .option('--dry-run', 'say how many would be redacted, by kind, touch nothing')
  .addOption(waitOption())
  .addHelpText('after', HELP)
  .action(lazily(async () => (await import('./run.js')).runScrub));
