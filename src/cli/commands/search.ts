import { createCommand, perform } from '../program.js';
import { DEFAULT_LIMIT, type SearchFlags } from '../search.js';

export const search = createCommand('search', 'Find passages by words and by meaning')
  .argument('<question...>', 'what to look for')
  .option('--wing <name>', 'only in this wing')
  .option('--room <name>', 'only in this room')
  .option('--limit <n>', 'hits to show', DEFAULT_LIMIT)
  .action((words: string[], flags: SearchFlags) =>
    perform(flags, async (session) => (await import('../search.js')).runSearch(words, flags, session)),
  );
