import { commandOf } from '../../../adapters/cli.js';
import { listing } from '../../../operations/listing/index.js';
import { createCommand } from '../../app/options.js';

const EXAMPLES = `
Examples:
  mempalace list wings                      all wings
  mempalace list sources --wing wing_shop   sources in one wing
  mempalace list days --since 1mo           on which days something was done`;

export const list = createCommand('list', 'List wings, rooms, sources, days or runs')
  .addCommand(commandOf(listing.listWings))
  .addCommand(commandOf(listing.listRooms))
  .addCommand(commandOf(listing.listSources))
  .addCommand(commandOf(listing.listDays))
  .addCommand(commandOf(listing.listRuns))
  .addHelpText('after', EXAMPLES);
