import type { Command } from 'commander';
import { PRIORITIES } from '../../../core/importance.js';
import { choiceOption, countOption, createCommand } from '../../app/options.js';
import { lazily } from '../../app/runner.js';

const EXAMPLES = `
Examples:
  mempalace list wings                      all wings
  mempalace list sources --wing wing_shop   sources in one wing
  mempalace list days --since 1mo           on which days something was done`;

function withPage(command: Command, rows: string): Command {
  return command
    .addOption(countOption('--limit <n>', `rows to show (default: ${rows})`, 1))
    .addOption(countOption('--offset <n>', 'rows to skip', 0));
}

export const list = createCommand('list', 'List wings, rooms, sources, days or runs')
  .addCommand(
    withPage(createCommand('wings', 'List the wings'), 'all').action(
      lazily(async () => (await import('./run.js')).listWings),
    ),
  )
  .addCommand(
    withPage(
      createCommand('rooms', 'List the rooms').option('--wing <name>', 'only in this wing'),
      'all',
    ).action(lazily(async () => (await import('./run.js')).listRooms)),
  )
  .addCommand(
    withPage(
      createCommand('sources', 'List documents and sessions, newest first')
        .option('--wing <name>', 'only in this wing')
        .option('--room <name>', 'only in this room')
        .option('--type <type>', 'only of this type (see `mempalace search --help`)')
        .addOption(choiceOption('--priority <p>', 'only of this priority', PRIORITIES)),
      '20',
    ).action(lazily(async () => (await import('./run.js')).listSources)),
  )
  .addCommand(
    withPage(
      createCommand('days', 'List the days with content, newest first')
        .option('--wing <name>', 'only in this wing')
        .option('--since <when>', 'not older (see `mempalace search --help`)'),
      '20',
    ).action(lazily(async () => (await import('./run.js')).listDays)),
  )
  .addCommand(
    withPage(createCommand('runs', 'List runs of the programs, newest first'), '20').action(
      lazily(async () => (await import('./run.js')).listRuns),
    ),
  )
  .addHelpText('after', EXAMPLES);
