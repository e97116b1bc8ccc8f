import { createCommand, repeatable, waitOption } from '../../app/options.js';
import { lazily } from '../../app/runner.js';
import { DEFAULT_MIN_MESSAGES } from '../session/config.js';

const HELP = `
Sessions and documents are read, redacted and transcribed as the feeders do it,
and compared with what is filed, down to each part of a session:
  missing      should be filed, and is not
  stale        changed since; the next run files it again, or removes it
  orphaned     filed, and gone at its origin
  held back    the next run leaves what is filed, and says why
  not checked  a database or a folder cannot be read
Anything of these ends with 3. What was forgotten is not missing. --apply
removes orphans only, and leaves no mark: what comes back is filed again.

Examples:
  mempalace verify                      everything, a line a wing
  mempalace verify --session ses_0123   one session, with its parts
  mempalace verify --apply --dry-run    what would be removed`;

export const verify = createCommand('verify', 'Compare the palace with the live sources')
  .option('--session <id>', 'only this session (repeatable)', repeatable)
  .option('--docs <dir>', 'only the documents of this project, or of a folder in it')
  .option('--wing <name>', 'only what belongs into this wing')
  .option('--db <file>', 'an opencode database or its folder (repeatable)', repeatable)
  .option('--min-messages <n>', 'sessions with fewer are not missing', DEFAULT_MIN_MESSAGES)
  .option('--apply', 'remove what is filed and gone at its origin (asks)')
  .option('--dry-run', 'with --apply: say what would be removed, touch nothing')
  .option('--yes', 'do not ask')
  .option('--no-backup', 'keep no backup of the palace before --apply')
  .option('--no-redact', 'for a palace that was filled with --no-redact')
  .addOption(waitOption())
  .addHelpText('after', HELP)
  .action(lazily(async () => (await import('./run.js')).runVerify));
