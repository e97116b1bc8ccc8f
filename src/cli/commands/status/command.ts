import { createCommand } from '../../app/options.js';
import { lazily } from '../../app/runner.js';

const EXAMPLES = `
Examples:
  mempalace status          contents, and the last success of each program
  mempalace status --json   the same for a script`;

export const status = createCommand('status', 'Show the contents of the palace and the last runs')
  .addHelpText('after', EXAMPLES)
  .action(lazily(async () => (await import('./run.js')).runStatus));
