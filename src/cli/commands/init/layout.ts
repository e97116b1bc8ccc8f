import { existsSync, realpathSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';
import { addSetting } from '../../../config/change.js';
import { ARCHIVE_ROOM, CHAMBERS_ROOM } from '../../../core/palace-rooms.js';
import { CONFIG_NAME, readProjectConfig } from '../../../feeders/docs/config.js';
import { layoutFiles, makeLayout, missingFiles } from '../../../feeders/docs/palace-layout.js';
import { refuseRoot } from '../../../feeders/docs/root.js';
import { defaultWing, roomOf } from '../../../feeders/docs/wing-and-room.js';
import { line } from '../../../terminal/terminal.js';
import { confirm } from '../../app/confirm.js';
import type { FlagsOf } from '../../app/options.js';
import type { ProgramContext } from '../../app/runner.js';
import type { command } from './command.js';

/** `mempalace init --layout palace <dir>`: makes what is missing, and changes nothing that exists. */
export async function makePalaceOfFiles(
  context: ProgramContext,
  flags: FlagsOf<typeof command>,
  dir: string,
  wingOf: (root: string) => Promise<string | undefined>,
): Promise<void> {
  const { terminal, folders, config, env } = context;
  const isThere = existsSync(dir);
  if (isThere) await refuseRoot(dir, folders.home, folders);
  const root = isThere ? realpathSync(dir) : resolve(dir);
  const own = isThere ? await readProjectConfig(root) : undefined;
  const wing = own?.wing ?? (await wingOf(root)) ?? defaultWing(basename(root));
  const place = `${wing}/${roomOf(`${ARCHIVE_ROOM}/`, own?.rooms)}`;
  const isCold = [wing, place].some((each) => config.search.cold.includes(each));
  const missing = missingFiles(root);
  const kept = layoutFiles().filter((path) => !missing.includes(path));
  const dryRun = flags.dryRun === true;

  terminal.note(missing.length === 0 ? `nothing is missing in ${line(root)}` : `missing in ${line(root)}:`);
  for (const path of missing) terminal.note(`  ${path}`);
  const isByFolder = own?.rooms.some(({ name, byFolder }) => name === CHAMBERS_ROOM && byFolder === true);
  if (own !== undefined && isByFolder !== true)
    terminal.note(
      `${CONFIG_NAME} stays as it is: for a room per agent, add the room ${CHAMBERS_ROOM} with by_folder: true`,
    );
  if (!isCold) terminal.note(`search.cold of your settings would contain ${line(place)}`);
  let made: string[] = [];
  let settings: string | undefined;
  const isComplete = missing.length === 0 && isCold;
  if (!isComplete && !dryRun && (await confirm(`Make it in ${line(root)}?`, flags.yes, context))) {
    made = makeLayout(root, wing);
    if (!isCold) settings = await addSetting({ env, folders }, 'search.cold', place);
    for (const path of made) terminal.say(`made: ${line(join(root, path))}`);
    if (settings !== undefined) terminal.say(`changed: ${line(settings)} (search.cold: ${line(place)})`);
    terminal.note(`to file it: mempalace-docs ${line(root)}`);
  }
  context.answer({
    ...{ layout: 'palace', root, wing, made, kept },
    cold: { place, added: settings !== undefined },
  });
}
