import { createCommand } from '../../app/options.js';
import { lazily } from '../../app/runner.js';

const HELP = `
Of a document: the documents of its project that it links to, and those that
link to it, with [[name]] or with a path of Markdown. Of a session: the session
that it came from, its sub-agents, and its forks.

Examples:
  mempalace related docs/handbook.md`;

export const related = createCommand(
  'related',
  'Show the links of a document, or the sub-agents and forks of a session',
)
  .argument('<what>', 'a session id, or a source_file (or the end of it)')
  .option('--no-pager', 'do not use a pager')
  .addHelpText('after', HELP)
  .action(lazily(async () => (await import('./run.js')).runRelated));
