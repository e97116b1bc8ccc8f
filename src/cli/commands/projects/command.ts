import { createCommand } from '../../app/options.js';
import { lazilyBare } from '../../app/runner.js';

const HELP = `
Without a command, projects lists them.

add also asks whether the rules of the project's mempalace.yaml that say
"priority: high" may put documents into wake-up. They may as long as the file is
what it was then. Nothing but this command, with a terminal or --yes, allows it.

Examples:
  mempalace projects add ~/my-project   file it with every mempalace-docs --all
  mempalace projects                    which are listed`;

export const projects = createCommand('projects', 'The list of the projects that mempalace-docs --all files')
  .addCommand(
    createCommand('list', 'List them').action(
      lazilyBare(async () => (await import('./run.js')).listProjects),
    ),
    { isDefault: true },
  )
  .addCommand(
    createCommand('add', 'Add a project')
      .argument('<dir>', 'a project folder')
      .option('--yes', 'do not ask')
      .action(lazilyBare(async () => (await import('./run.js')).add)),
  )
  .addCommand(
    createCommand('remove', 'Remove a project')
      .argument('<dir>', 'a project folder')
      .action(lazilyBare(async () => (await import('./run.js')).remove)),
  )
  .addHelpText('after', HELP);
