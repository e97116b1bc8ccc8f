import { Argument } from 'commander';
import { createCommand } from '../../app/options.js';
import { performBare } from '../../app/runner.js';
import type { ProjectsFlags } from './run.js';

const HELP = `
add also asks whether the rules of the project's mempalace.yaml that say
"priority: high" may put documents into wake-up. They may as long as the file is
what it was then. Nothing but this command, with a terminal or --yes, allows it.

Examples:
  mempalace projects add ~/my-project   file it with every mempalace-docs --all
  mempalace projects                    which are listed`;

export const projects = createCommand('projects', 'The list of the projects that mempalace-docs --all files')
  .addArgument(new Argument('[what]', 'what to do').choices(['list', 'add', 'remove']).default('list'))
  .argument('[dir]', 'a project folder')
  .option('--yes', 'add: do not ask')
  .addHelpText('after', HELP)
  .action((what: string, dir: string | undefined, flags: ProjectsFlags) =>
    performBare(flags, async (context) => (await import('./run.js')).runProjects(what, dir, flags, context)),
  );
