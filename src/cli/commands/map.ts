import { lstatSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type * as z from 'zod/mini';
import { commandOf } from '../../adapters/cli.js';
import { UserError } from '../../core/errors.js';
import { line } from '../../core/outside.js';
import { HALL_ROOM } from '../../core/palace-rooms.js';
import { plural } from '../../core/plural.js';
import { readInProject } from '../../feeders/docs/open-file.js';
import { listing } from '../../operations/listing/index.js';
import { ask } from '../../operations/operation.js';
import { moveIntoPlace, temporaryNextTo } from '../../platform/atomic-write.js';
import { shellQuoted } from '../../platform/shell-quoted.js';
import { withService } from '../app/open-service.js';
import type { CommonFlags } from '../app/options.js';
import type { CommandContext } from '../app/runner.js';

const HELP = `
Rooms have the number of their documents and sessions, and the day of their
newest content. --write writes the map as Markdown into grand_hall/room_map.md
of a palace of files, where mempalace-docs files it. Another file of that name
is not changed. docs/file-palace.md

Examples:
  mempalace map
  mempalace map --write ~/palace`;

export const command = commandOf(listing.map, writeInstead)
  .option('--write <dir>', 'write it into the grand_hall of this palace of files')
  .addHelpText('after', HELP);

type RoomMap = z.output<ReturnType<typeof listing.map.output>>;

const NAME = 'room_map.md';
/** A file without this line is not replaced. */
const MARK = '<!-- `mempalace map --write` replaces this file. -->';
/** Far more than a map of a palace. */
const MOST_BYTES = 16 * 1024 * 1024;

/** `mempalace map --write`. @returns whether it was asked for */
async function writeInstead(
  context: CommandContext,
  { wing, write }: CommonFlags & { wing?: string; write?: string },
): Promise<boolean> {
  if (write === undefined) return false;
  const { terminal, config } = context;
  const { cold } = config.search;
  const document = await withService(context, (service, call) =>
    ask(service, listing.map, { wing, cold }, call),
  );
  const { file, changed } = writeRoomMap(write, document);
  terminal.json({ ...document, file, changed });
  terminal.say(changed ? `written: ${line(file)}` : `${line(file)} is up to date`);
  return true;
}

/**
 * Writes the map into the grand_hall of a palace of files, if it differs from the one that is there.
 *
 * @throws UserError `usage` without a grand_hall; `failed` when another file has the name
 */
function writeRoomMap(dir: string, map: RoomMap): { file: string; changed: boolean } {
  if (lstatSync(join(dir, HALL_ROOM), { throwIfNoEntry: false })?.isDirectory() !== true) {
    throw new UserError('usage', `there is no folder ${HALL_ROOM} in ${JSON.stringify(dir)}`, {
      hint: `mempalace init --layout palace ${shellQuoted(dir)}`,
    });
  }
  const root = realpathSync(dir);
  const file = join(root, HALL_ROOM, NAME);
  const text = markdownOf(map);
  const entry = lstatSync(file, { throwIfNoEntry: false });
  if (entry !== undefined) {
    const before = entry.isFile() ? readInProject(file, root, MOST_BYTES).head.toString('utf8') : '';
    if (before === text) return { file, changed: false };
    if (!before.includes(MARK))
      throw new UserError('failed', `${file} exists, and mempalace map did not write it`, {
        hint: 'move it away, or give it another name',
      });
  }
  const temporary = temporaryNextTo(join(root, HALL_ROOM, `.${NAME}`));
  try {
    writeFileSync(temporary, text, { flag: 'wx' });
    moveIntoPlace(temporary, file);
  } finally {
    rmSync(temporary, { force: true });
  }
  return { file, changed: true };
}

function markdownOf({ wings }: RoomMap): string {
  const parts = wings.map(({ wing, sources, drawers, last, rooms }) => {
    const rows = rooms.map(
      (room) =>
        `| ${cell(room.room)}${room.cold ? ' (cold)' : ''} | ${room.sources} | ${room.drawers} | ${room.last} |`,
    );
    const head = '| room | sources | drawers | last activity |\n| --- | ---: | ---: | --- |';
    return `## ${cell(wing)}\n\n${plural(sources, 'source')}, ${plural(drawers, 'drawer')}, last activity ${last}\n\n${head}\n${rows.join('\n')}\n`;
  });
  return ['# Room map\n', `${MARK}\n`, ...parts].join('\n');
}

/** A name as text: names of rooms come from folders of any project. */
function cell(name: string): string {
  return line(name).replace(/[\\|`*_<>[\]#&!]/g, '\\$&');
}
