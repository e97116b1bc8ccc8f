import { commandOf } from '../../../adapters/cli.js';
import { facts } from '../../../operations/facts/index.js';

const HELP = `
Facts contradict each other when they have one subject and one predicate, but
different objects at the same time. Predicates that usually have several objects
are left out. See docs/facts.md.

Examples:
  mempalace kg resolve fact_0123 fact_4567 --keep fact_4567 --because renamed`;

export const conflicts = commandOf(facts.conflicts).addHelpText('after', HELP);
