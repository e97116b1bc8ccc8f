import { createCommand, perform } from '../program.js';
import type { ShowFlags } from '../show.js';

export const show = createCommand('show', 'Read a whole passage, document or session')
  .argument('<what>', 'a drawer id, a session id, or a source_file (the end of one will do)')
  .option('--radius <n>', 'of a drawer: so many passages before and after too (default: 0)')
  .option('--raw', 'print the text as the palace keeps it, byte for byte, and nothing else')
  .option('--no-pager', 'print it all at once')
  .action((what: string, flags: ShowFlags) =>
    perform(flags, async (session) => (await import('../show.js')).runShow(what, flags, session)),
  );
