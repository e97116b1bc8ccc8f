import { commandOf } from '../../../adapters/cli.js';
import { listing } from '../../../operations/listing/index.js';

const HELP = `
Rooms have the number of their documents and sessions, and the day of their
newest content. --write writes the map as Markdown into grand_hall/room_map.md
of a palace of files, where mempalace-docs files it. Another file of that name
is not changed. docs/file-palace.md

Examples:
  mempalace map
  mempalace map --write ~/palace`;

export const map = commandOf(listing.map, async () => (await import('./write.js')).writeInstead)
  .option('--write <dir>', 'write it into the grand_hall of this palace of files')
  .addHelpText('after', HELP);
