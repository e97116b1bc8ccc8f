import { commandOf } from '../../../adapters/cli.js';
import { related as operations } from '../../../operations/reading/related.js';

const HELP = `
Of a document: the documents of its project that it links to, and those that
link to it, with [[name]] or with a path of Markdown. Of a session: the session
that it came from, its sub-agents, and its forks.

Examples:
  mempalace related docs/handbook.md`;

export const related = commandOf(operations.related).addHelpText('after', HELP);
