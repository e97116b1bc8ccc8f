/** The rooms as a tree. */
import * as z from 'zod/mini';
import { groupBy } from '../../core/group-by.js';
import { BAR, line, NOTICE } from '../../core/outside.js';
import { plural } from '../../core/plural.js';
import { renderTable } from '../../terminal/table.js';
import { day, field, text } from '../fields.js';
import { operation } from '../operation.js';
import { inItsOwn } from '../wing.js';
import { taxonomy } from './counts.js';
import { held, NUMBER, totalOf } from './list.js';

interface Counts {
  sources: number;
  drawers: number;
  last: string;
}
const countsOf = ({ sources, drawers, last }: Counts): string[] => [
  plural(sources, 'source'),
  plural(drawers, 'drawer'),
  last,
];

export const map = {
  map: operation({
    name: 'map',
    summary: 'Show the rooms of the palace as a tree',
    reads: true,
    inWing: inItsOwn,
    input: () =>
      z.strictObject({
        wing: field(z.optional(text()), 'only this wing', { tool: null }),
        cold: field(z._default(z.array(z.string()), []), 'wings and rooms that searches leave out', {
          hidden: true,
          usual: ({ config }) => config.search.cold,
        }),
      }),
    output: () =>
      z.strictObject({
        wings: z.array(
          z.strictObject({
            wing: z.string(),
            ...held,
            last: day,
            rooms: z.array(z.strictObject({ room: z.string(), ...held, last: day, cold: z.boolean() })),
          }),
        ),
        /** Of --write. */
        file: z.optional(z.string()),
        changed: z.optional(z.boolean()),
      }),
    run({ wing, cold }, { handle }) {
      const rooms = groupBy(handle.get().listing.roomMap(wing), ({ wing }) => wing);
      return {
        wings: [...rooms].map(([wing, inside]) => ({
          wing,
          ...totalOf(inside),
          last: inside.map(({ last }) => last).reduce((a, b) => (a > b ? a : b)),
          rooms: inside.map(({ wing: _, ...room }) => ({
            ...room,
            cold: cold.includes(wing) || cold.includes(`${wing}/${room.room}`),
          })),
        })),
      };
    },
    isEmpty: ({ wings }) => wings.length === 0,
    text({ wings }, terminal) {
      if (terminal.options.json) return;
      if (wings.length === 0) return terminal.note('no rooms');
      terminal.note(`rooms (${NOTICE})`);
      const rows = wings.flatMap(({ wing, rooms, ...all }) => [
        [BAR + line(wing), ...countsOf(all), ''],
        ...rooms.map(({ room, cold, ...inside }, index) => {
          const branch = index === rooms.length - 1 ? '└ ' : '├ ';
          return [BAR + branch + line(room), ...countsOf(inside), cold ? 'cold' : ''];
        }),
      ]);
      const { width, style: paint } = terminal;
      const columns = [{ style: 'cyan' as const, share: 0.6 }, NUMBER, NUMBER, {}, {}];
      for (const row of renderTable(rows, columns, { width, paint })) terminal.data(row);
    },
    address: 'The rooms of the palace as a tree, with the day of their newest content',
    tool: {
      name: 'mempalace_get_taxonomy',
      title: 'Wings, rooms and counts',
      description: 'The whole tree: each wing with its rooms and their drawer counts.',
      answer: ({ wings }) => taxonomy(wings),
    },
  }),
};
