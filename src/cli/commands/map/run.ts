import { BAR, NOTICE } from '../../../core/outside.js';
import { type RoomMapJson, roomMapJson } from '../../../presentation/room-map.js';
import { plural } from '../../../terminal/durations.js';
import { type Column, renderTable } from '../../../terminal/table.js';
import { line } from '../../../terminal/terminal.js';
import { withService } from '../../app/open-service.js';
import type { CommonFlags } from '../../app/options.js';
import type { CommandContext } from '../../app/runner.js';

interface MapFlags extends CommonFlags {
  wing?: string;
  write?: string;
}

const COLUMNS: Column[] = [{ style: 'cyan', share: 0.6 }, { align: 'right' }, { align: 'right' }, {}, {}];

/** `mempalace map`. */
export async function runMap(context: CommandContext, { wing, write }: MapFlags): Promise<void> {
  const { terminal, config } = context;
  const map = await withService(context, async (service, call) =>
    roomMapJson(await service.roomMap({ wing }, call), config.search.cold),
  );
  if (write !== undefined) {
    const { writeRoomMap } = await import('./write.js');
    const { file, changed } = writeRoomMap(write, map);
    terminal.json({ ...map, file, changed });
    terminal.say(changed ? `written: ${line(file)}` : `${line(file)} is up to date`);
    return;
  }
  terminal.json(map);
  if (terminal.options.json) return;
  if (map.wings.length === 0) return terminal.note('no rooms');
  terminal.note(`rooms (${NOTICE})`);
  const { width, style: paint } = terminal;
  for (const row of renderTable(rowsOf(map), COLUMNS, { width, paint })) terminal.data(row);
}

function rowsOf({ wings }: RoomMapJson): string[][] {
  return wings.flatMap(({ wing, rooms, ...all }) => [
    [BAR + line(wing), ...countsOf(all), ''],
    ...rooms.map(({ room, cold, ...counts }, index) => {
      const branch = index === rooms.length - 1 ? '└ ' : '├ ';
      return [BAR + branch + line(room), ...countsOf(counts), cold ? 'cold' : ''];
    }),
  ]);
}

function countsOf({ sources, drawers, last }: { sources: number; drawers: number; last: string }): string[] {
  return [plural(sources, 'source'), plural(drawers, 'drawer'), last];
}
