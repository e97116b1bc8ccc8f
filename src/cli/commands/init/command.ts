import { createCommand } from '../../app/options.js';
import { lazily } from '../../app/runner.js';

const HELP = `
Proposes a wing and rooms from the folders that the documents lie in, and writes
mempalace.yaml into the project, nothing else. A file that is there stays as it
is. Filing is for mempalace-docs.

Examples:
  mempalace init ~/my-project --dry-run   the proposal
  mempalace init ~/my-project             write it, after a question`;

export const init = createCommand('init', 'Propose a mempalace.yaml for a project, and write it')
  .argument('<dir>', 'the root of a project')
  .option('--yes', 'do not ask')
  .option('--dry-run', 'show the proposal, write nothing')
  .addHelpText('after', HELP)
  .action(lazily(async () => (await import('./run.js')).runInit));
