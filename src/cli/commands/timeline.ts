import { createCommand, perform } from '../program.js';
import type { TimelineFlags } from '../timeline.js';

export const timeline = createCommand(
  'timeline',
  'Show what stood around a passage, and what else happened that day',
)
  .argument('<drawer-id>', 'as `mempalace search` shows it, or its beginning')
  .option('--radius <n>', 'passages before and after (default: 3)')
  .option('--no-pager', 'print it all at once')
  .action((id: string, flags: TimelineFlags) =>
    perform(flags, async (session) => (await import('../timeline.js')).runTimeline(id, flags, session)),
  );
