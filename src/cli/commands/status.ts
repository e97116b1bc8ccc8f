import { type CommonFlags, createCommand, perform } from '../program.js';

export const status = createCommand('status', 'Show what the palace holds and what the last runs did').action(
  (flags: CommonFlags) =>
    perform(flags, async (session) => (await import('../status.js')).runStatus(flags, session)),
);
