import { createCommand } from '../../app/options.js';
import { lazily } from '../../app/runner.js';

const HELP = `
Facts contradict each other when they have one subject and one predicate, but
different objects at the same time. Predicates that usually have several objects
are left out. See docs/facts.md.

Examples:
  mempalace kg resolve fact_0123456789ab fact_ba9876543210 \\
    --keep fact_0123456789ab --because "renamed in May"`;

export const conflicts = createCommand('conflicts', 'List facts that contradict each other now')
  .action(lazily(async () => (await import('./run.js')).runConflicts))
  .addHelpText('after', HELP);
