import { PRIORITIES } from '../../../core/importance.js';
import { choiceOption, createCommand, exclusiveFlag } from '../../app/options.js';
import { lazily } from '../../app/runner.js';

const HELP = `
Runs do not change these values. A value set for a drawer applies to that
passage, and to its replacement after an edit. A value set for a document or
session applies to all its drawers, except those with their own priority.
wake-up prints pinned sources and those of high priority.

Examples:
  mempalace set docs/handbook.md --priority high   a document
  mempalace set drawer_1f0c8a2e --pin              a passage, by its id`;

export const set = createCommand('set', 'Set how important a passage, document or session is')
  .argument('<what>', 'a drawer id, a session id, or a source_file (or the end of one)')
  .addOption(choiceOption('--priority <p>', 'the priority; none removes it', [...PRIORITIES, 'none']))
  .addOption(exclusiveFlag('--pin', 'always print it in wake-up, regardless of its age', 'unpin'))
  .option('--unpin', 'undo --pin')
  .addHelpText('after', HELP)
  .action(lazily(async () => (await import('./run.js')).runSet));
