import { countOption, createCommand } from '../../app/options.js';
import { lazily } from '../../app/runner.js';

const EXAMPLES = `
A path is absolute, or the end of one. What a session did to a file is known
from its calls of tools; a shell command counts only if it is certain what it
touches. Former names of a renamed file are followed.

Examples:
  mempalace file src/auth.ts               any file whose path ends like this
  mempalace file ~/shop/src/auth.ts        this file, in other checkouts too
  mempalace search --file auth.ts why      search in these sessions`;

export const file = createCommand('file', 'List what read, changed or spoke of a file, newest first')
  .argument('<path>', 'the file')
  .addOption(countOption('--limit <n>', 'sessions and documents to show (default: 20)', 1))
  .addOption(countOption('--offset <n>', 'sessions and documents to skip', 0))
  .option('--no-pager', 'do not use a pager')
  .addHelpText('after', EXAMPLES)
  .action(lazily(async () => (await import('./run.js')).runFile));
