import { groupBy } from '../core/group-by.js';
import type { Output } from '../service/contract/index.js';

export type RoomMapJson = ReturnType<typeof roomMapJson>;

/**
 * Wings with their rooms, as the CLI's JSON and Markdown show them.
 *
 * @param cold `wing` or `wing/room`, as in `search.cold`
 */
export function roomMapJson({ rooms }: Output<'roomMap'>, cold: readonly string[]) {
  const isCold = (wing: string, room: string) => cold.includes(wing) || cold.includes(`${wing}/${room}`);
  return {
    wings: [...groupBy(rooms, ({ wing }) => wing)].map(([wing, inside]) => ({
      wing,
      sources: inside.reduce((sum, { sources }) => sum + sources, 0),
      drawers: inside.reduce((sum, { drawers }) => sum + drawers, 0),
      last: inside.map(({ lastDay }) => lastDay).reduce((a, b) => (a > b ? a : b)),
      rooms: inside.map(({ room, sources, drawers, lastDay }) => ({
        ...{ room, sources, drawers, last: lastDay },
        cold: isCold(wing, room),
      })),
    })),
  };
}
