import { type CommonFlags, createCommand } from '../../app/options.js';
import { perform } from '../../app/runner.js';

const EXAMPLES = `
Examples:
  mempalace status          what is filed, and when each program last succeeded
  mempalace status --json   the same for a script`;

export const status = createCommand('status', 'Show what the palace holds and what the last runs did')
  .addHelpText('after', EXAMPLES)
  .action((flags: CommonFlags) =>
    perform(flags, async (context) => (await import('./run.js')).runStatus(flags, context)),
  );
