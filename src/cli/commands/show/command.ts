import { countOption, createCommand, exclusiveFlag } from '../../app/options.js';
import { lazily } from '../../app/runner.js';

const EXAMPLES = `
Examples:
  mempalace show docs/handbook.md             a document, by the end of its path
  mempalace show drawer_1f0c8a2e --radius 2   a passage and its neighbours`;

export const show = createCommand('show', 'Print a whole passage, document or session')
  .argument('<what>', 'a drawer id, a session id, or a source_file (or the end of one)')
  .addOption(countOption('--radius <n>', 'for a drawer: passages to add on each side (default: 0)', 0))
  .addOption(exclusiveFlag('--raw', 'print only the stored text, byte for byte', 'json'))
  .option('--no-pager', 'do not use a pager')
  .addHelpText('after', EXAMPLES)
  .action(lazily(async () => (await import('./run.js')).runShow));
