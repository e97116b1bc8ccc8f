import { createCommand, type FlagsOf, waitOption } from '../../app/options.js';
import { lazily } from '../../app/runner.js';

const HELP = `
Searches use the old vectors until all new vectors are ready. Stopping or
killing a run loses nothing: the next one continues, including texts that were
filed in between. Sources are not read again.

Examples:
  mempalace reembed --dry-run                       estimate the time
  mempalace reembed --model multilingual-e5-small   change the model`;

export const reembed = createCommand('reembed', 'Rebuild the vectors of the palace with another model')
  .option('--model <id>', "the model (default: the configured one, else the palace's)")
  .option('--force', 'rebuild all vectors, even if they are from this model')
  .option('--no-backup', 'keep no backup of the palace')
  .option('--dry-run', 'show the number of texts and the estimated time; change nothing')
  .addOption(waitOption())
  .addHelpText('after', HELP);
export type ReembedFlags = FlagsOf<typeof reembed>;
reembed.action(lazily(async () => (await import('./run.js')).runReembed, { here: true }));
