import { countOption, createCommand } from '../../app/options.js';
import { lazily } from '../../app/runner.js';

const EXAMPLES = `
Examples:
  mempalace timeline drawer_1f0c8a2e --radius 5   five passages before and after`;

export const timeline = createCommand(
  'timeline',
  'Show the passages around a passage, and what else is of that day',
)
  .argument('<drawer-id>', 'as `mempalace search` shows it, or its beginning')
  .addOption(countOption('--radius <n>', 'passages before and after (default: 3)', 0))
  .option('--no-pager', 'print it all at once')
  .addHelpText('after', EXAMPLES)
  .action(lazily(async () => (await import('./run.js')).runTimeline));
