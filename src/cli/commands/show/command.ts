import { countOption, createCommand, exclusiveFlag } from '../../app/options.js';
import { lazily } from '../../app/runner.js';

const EXAMPLES = `
Examples:
  mempalace show docs/handbook.md             a document, by the end of its path
  mempalace show drawer_1f0c8a2e --radius 2   a passage and its neighbours
  mempalace show drawer_1f0c8a2e drawer_77b1e0c4    several, one after the other`;

export const show = createCommand('show', 'Print whole passages, documents or sessions')
  .argument('<what...>', 'drawer ids, session ids, or source_files (or the ends of them)')
  .addOption(countOption('--radius <n>', 'for a drawer: passages to add on each side (default: 0)', 0))
  .addOption(exclusiveFlag('--raw', 'print only the stored text, byte for byte', 'json'))
  .option('--no-pager', 'do not use a pager')
  .addHelpText('after', EXAMPLES)
  .action(lazily(async () => (await import('./run.js')).runShow));
