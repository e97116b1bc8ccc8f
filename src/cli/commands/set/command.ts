import { commandOf } from '../../../adapters/cli.js';
import { marks } from '../../../operations/marks.js';

const HELP = `
Runs do not change these values. A value set for a drawer applies to that
passage, and to its replacement after an edit. A value set for a document or
session applies to all its drawers, except those with their own priority.
wake-up prints pinned sources and those of high priority.

Examples:
  mempalace set docs/handbook.md --priority high   a document
  mempalace set drawer_1f0c8a2e --pin              a passage, by its id`;

export const set = commandOf(marks.set).addHelpText('after', HELP);
