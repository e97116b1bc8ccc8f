import { createCommand, perform } from '../program.js';
import type { SetFlags } from '../set.js';

const HELP = `
Runs never take it back; taking back what a run found is not possible, only setting another priority.
A drawer goes by its text: one whose text changes is another drawer. Mark the source to mark all of it.`;

export const set = createCommand('set', 'Say how important a passage, document or session is')
  .argument('<what>', 'a drawer id, a session id, or a source_file (the end of one will do)')
  .option('--priority <p>', 'high, medium or low; none takes back what was set')
  .option('--pin', 'always tell of it at wake-up, however old it is')
  .option('--unpin', 'take back --pin')
  .addHelpText('after', HELP)
  .action((what: string, flags: SetFlags) =>
    perform(flags, async (session) => (await import('../set.js')).runSet(what, flags, session)),
  );
