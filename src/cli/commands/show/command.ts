import { countOption, createCommand } from '../../app/options.js';
import { lazily } from '../../app/runner.js';

const EXAMPLES = `
Examples:
  mempalace show docs/handbook.md             a document, by the end of its path
  mempalace show drawer_1f0c8a2e --radius 2   a passage and its neighbours`;

export const show = createCommand('show', 'Read a whole passage, document or session')
  .argument('<what>', 'a drawer id, a session id, or a source_file (the end of one will do)')
  .addOption(countOption('--radius <n>', 'for a drawer: passages to add before and after (default: 0)', 0))
  .option('--raw', 'print the text as the palace keeps it, byte for byte, and nothing else')
  .option('--no-pager', 'print it all at once')
  .addHelpText('after', EXAMPLES)
  .action(lazily(async () => (await import('./run.js')).runShow));
