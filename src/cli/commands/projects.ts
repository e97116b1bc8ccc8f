import { Argument } from 'commander';
import { type CommonFlags, createCommand } from '../options.js';
import { performBare } from '../perform.js';

const EXAMPLES = `
Examples:
  mempalace projects add ~/my-project   file it with every mempalace-docs --all
  mempalace projects                    which are listed`;

export const projects = createCommand('projects', 'The list of the projects that mempalace-docs --all files')
  .addArgument(new Argument('[what]', 'what to do').choices(['list', 'add', 'remove']).default('list'))
  .argument('[dir]', 'a project folder')
  .addHelpText('after', EXAMPLES)
  .action((what: string, dir: string | undefined, flags: CommonFlags) =>
    performBare(flags, async (session) => (await import('../projects.js')).runProjects(what, dir, session)),
  );
