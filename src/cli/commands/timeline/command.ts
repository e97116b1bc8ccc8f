import { countOption, createCommand } from '../../app/options.js';
import { lazily } from '../../app/runner.js';

const EXAMPLES = `
Examples:
  mempalace timeline drawer_1f0c8a2e --radius 5   five passages before and after`;

export const timeline = createCommand(
  'timeline',
  'Show the passages around a passage, and other sources of that day',
)
  .argument('<drawer-id>', 'an id printed by `mempalace search`, or its beginning')
  .addOption(countOption('--radius <n>', 'passages on each side (default: 3)', 0))
  .option('--no-pager', 'do not use a pager')
  .addHelpText('after', EXAMPLES)
  .action(lazily(async () => (await import('./run.js')).runTimeline));
