import { createCommand, type FlagsOf } from '../../app/options.js';
import { lazilyBare } from '../../app/runner.js';

const HELP = `
Without a command, projects prints the list.

If rules in the project's mempalace.yaml say "priority: high", add asks whether
wake-up may show those documents. The approval ends when that file changes. Only
this command can give it, on a terminal or with --yes.

Examples:
  mempalace projects add ~/my-project   file it with mempalace-docs --all
  mempalace projects                    print the list`;

const add = createCommand('add', 'Add a project')
  .argument('<dir>', 'a project folder')
  .option('--yes', 'do not ask');
export type AddFlags = FlagsOf<typeof add>;

export const projects = createCommand('projects', 'The list of projects for mempalace-docs --all')
  .addCommand(
    createCommand('list', 'Print the list').action(
      lazilyBare(async () => (await import('./run.js')).listProjects),
    ),
    { isDefault: true },
  )
  .addCommand(add.action(lazilyBare(async () => (await import('./run.js')).add)))
  .addCommand(
    createCommand('remove', 'Remove a project')
      .argument('<dir>', 'a project folder')
      .action(lazilyBare(async () => (await import('./run.js')).remove)),
  )
  .addHelpText('after', HELP);
