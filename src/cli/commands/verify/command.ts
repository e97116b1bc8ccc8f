import { createCommand, type FlagsOf, minMessagesOption, repeatable, waitOption } from '../../app/options.js';
import { lazily } from '../../app/runner.js';

const HELP = `
Reads, redacts and transcribes sessions and documents like the feeders, and
compares them with the palace, including each part of a session:
  missing      should be filed, but is not
  stale        has changed; the next run files it again, or removes it
  orphaned     is filed, but its original is gone
  held back    the next run keeps the filed version, and says why
  not checked  a database or a folder cannot be read
  kept         has lost filed messages; they stay in the palace (only a note)
Any other gives exit code 3. Forgotten sources are not missing. --apply
removes only orphans and leaves no tombstone: if an original returns, it is
filed again.

Examples:
  mempalace verify                      everything, one line per wing
  mempalace verify --session ses_0123   one session, with its parts
  mempalace verify --apply --dry-run    what would be removed`;

export const verify = createCommand('verify', 'Compare the palace with its original sources')
  .option('--session <id>', 'only this session (repeatable)', repeatable)
  .option('--docs <dir>', 'only documents in this project folder, or in a folder inside one')
  .option('--wing <name>', 'only sources of this wing')
  .option('--db <file>', 'an opencode database or its folder (repeatable)', repeatable)
  .addOption(minMessagesOption('do not report shorter sessions as missing'))
  .option('--apply', 'remove orphaned sources, after confirmation')
  .option('--dry-run', 'with --apply: show what would be removed; change nothing')
  .option('--yes', 'do not ask')
  .option('--no-backup', 'with --apply: keep no backup of the palace')
  .option('--no-redact', 'for a palace that was filed with --no-redact')
  .addOption(waitOption())
  .addHelpText('after', HELP);
export type VerifyFlags = FlagsOf<typeof verify>;
verify.action(lazily(async () => (await import('./run.js')).runVerify, { here: true }));
