import { createCommand } from '../../app/options.js';
import { lazily } from '../../app/runner.js';

const EXAMPLES = `
Examples:
  mempalace status          what is filed, and when each program last succeeded
  mempalace status --json   the same for a script`;

export const status = createCommand('status', 'Show what the palace contains and what the last runs did')
  .addHelpText('after', EXAMPLES)
  .action(lazily(async () => (await import('./run.js')).runStatus));
