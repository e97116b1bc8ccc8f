import { choiceOption, createCommand, type FlagsOf } from '../../app/options.js';
import { lazily } from '../../app/runner.js';

const HELP = `
Proposes a wing and rooms based on the folders of the documents, and writes only
mempalace.yaml into the project. An existing file is not changed. Use
mempalace-docs to file the documents.

--layout palace makes a palace of files: grand_hall, chambers, project_rooms,
reflection_wing, dispatch_corridor, conflict_room and archive_basement, each
with a README, and a mempalace.yaml that maps them to rooms. It adds
archive_basement to search.cold of your settings. What exists is not changed.
docs/file-palace.md describes it.

Examples:
  mempalace init ~/my-project --dry-run   show the proposal
  mempalace init ~/my-project             write it, after confirmation
  mempalace init --layout palace ~/palace`;

export const init = createCommand('init', 'Propose and write a mempalace.yaml for a project')
  .argument('<dir>', 'the root of a project')
  .addOption(choiceOption('--layout <name>', 'make the folders of this layout', ['palace']))
  .option('--yes', 'do not ask')
  .option('--dry-run', 'show the proposal; write nothing')
  .addHelpText('after', HELP);
export type InitFlags = FlagsOf<typeof init>;
init.action(lazily(async () => (await import('./run.js')).runInit));
