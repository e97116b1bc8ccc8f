import { createCommand, waitOption } from '../../app/options.js';
import { lazily } from '../../app/runner.js';

const HELP = `
Searches use the old vectors until all new ones are there. A run that is stopped
or killed loses nothing: the next one goes on with what it left, and with what
was filed in between. Sources are not read again.

Examples:
  mempalace reembed --dry-run                       how long it would take
  mempalace reembed --model multilingual-e5-small   to another model`;

export const reembed = createCommand('reembed', 'Rebuild the vectors of the palace with another model')
  .option('--model <id>', "the model (default: the configured one, else the palace's)")
  .option('--force', "rebuild all vectors, also when they are the model's already")
  .option('--no-backup', 'keep no backup of the palace before the change')
  .option('--dry-run', 'say how many texts it would embed and how long it takes, touch nothing')
  .addOption(waitOption())
  .addHelpText('after', HELP)
  .action(lazily(async () => (await import('./run.js')).runReembed));
