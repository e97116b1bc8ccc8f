import { Argument } from 'commander';
import { createCommand } from '../../app/options.js';
import { perform } from '../../app/runner.js';
import { LISTS } from './kinds.js';
import type { ListFlags } from './run.js';

const EXAMPLES = `
Examples:
  mempalace list wings                      all wings
  mempalace list sources --wing wing_shop   what is filed in one`;

export const list = createCommand('list', 'List wings, rooms, sources or runs')
  .addArgument(new Argument('<what>', 'what to list; sources and runs newest first').choices(LISTS))
  .option('--wing <name>', 'rooms, sources: only of this wing')
  .option('--room <name>', 'sources: only of this room')
  .option('--limit <n>', 'rows to show (default: 20 sources or runs, all wings and rooms)')
  .option('--offset <n>', 'rows to skip')
  .addHelpText('after', EXAMPLES)
  .action((what: string, flags: ListFlags) =>
    perform(flags, async (context) => (await import('./run.js')).runList(what, flags, context)),
  );
