import { createCommand } from '../../app/options.js';
import { lazily } from '../../app/runner.js';

const HELP = `
Proposes a wing and rooms based on the folders of the documents, and writes only
mempalace.yaml into the project. An existing file is not changed. Use
mempalace-docs to file the documents.

Examples:
  mempalace init ~/my-project --dry-run   show the proposal
  mempalace init ~/my-project             write it, after confirmation`;

export const init = createCommand('init', 'Propose and write a mempalace.yaml for a project')
  .argument('<dir>', 'the root of a project')
  .option('--yes', 'do not ask')
  .option('--dry-run', 'show the proposal; write nothing')
  .addHelpText('after', HELP)
  .action(lazily(async () => (await import('./run.js')).runInit));
