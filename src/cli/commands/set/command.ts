import { PRIORITIES } from '../../../core/contract.js';
import { choiceOption, createCommand } from '../../app/options.js';
import { lazily } from '../../app/runner.js';

const HELP = `
No run takes it back. What is set for a drawer applies to that passage, and to
what replaces it when it is edited; what is set for a document or session
applies to all of it, except drawers with a priority of their own. What is
pinned or of priority high is printed at wake-up.

Examples:
  mempalace set docs/handbook.md --priority high   a document
  mempalace set drawer_1f0c8a2e --pin              a passage, by its id`;

export const set = createCommand('set', 'Set how important a passage, document or session is')
  .argument('<what>', 'a drawer id, a session id, or a source_file (the end of one will do)')
  .addOption(
    choiceOption('--priority <p>', 'how important it is; none takes back what was set', [
      ...PRIORITIES,
      'none',
    ]),
  )
  .option('--pin', 'always print it at wake-up, however old it is')
  .option('--unpin', 'take back --pin')
  .addHelpText('after', HELP)
  .action(lazily(async () => (await import('./run.js')).runSet));
