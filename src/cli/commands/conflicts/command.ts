import { createCommand } from '../../app/options.js';
import { lazily } from '../../app/runner.js';

const HELP = `
Facts contradict each other when they have one subject and one predicate, but
different objects at the same time. Predicates that usually have several objects
are left out. See docs/facts.md.

Examples:
  mempalace kg resolve fact_0123 fact_4567 --keep fact_4567 --because renamed`;

export const conflicts = createCommand('conflicts', 'List facts that contradict each other now')
  .action(lazily(async () => (await import('./run.js')).runConflicts))
  .addHelpText('after', HELP);
