/** Wings, rooms and days. */
import * as z from 'zod/mini';
import { groupBy } from '../../core/group-by.js';
import { BAR, line } from '../../core/outside.js';
import { plural } from '../../core/plural.js';
import type { Palace } from '../../store/index.js';
import { levels } from '../../terminal/spark.js';
import { count, day, since, wing, within } from '../fields.js';
import { operation } from '../operation.js';
import { inItself, inItsOwn } from '../wing.js';
import { named, sums } from './counts.js';
import { among, head, held, isEmpty, NUMBER, openPage, pictured, printList, ROWS, totalOf } from './list.js';

export const places = {
  listWings: operation({
    name: 'list wings',
    summary: 'List the wings',
    reads: true,
    inWing: inItself,
    input: () => z.strictObject({ within: within(), ...openPage() }),
    output: () =>
      z.strictObject({
        ...head('wings'),
        wings: z.array(z.strictObject({ wing: z.string(), rooms: count, ...held })),
      }),
    run({ within, ...page }, { handle }) {
      const wings = groupBy(roomsOf(handle.get(), within), ({ wing }) => wing);
      const { head, rows } = among('wings', [...wings], page);
      const shown = rows.map(([wing, rooms]) => ({ wing, rooms: rooms.length, ...totalOf(rooms) }));
      return { ...head, wings: shown };
    },
    text: (document, terminal) =>
      printList(
        document,
        {
          columns: [{ style: 'cyan', share: 0.5 }, NUMBER, NUMBER, NUMBER],
          rows: document.wings.map(({ wing, rooms, ...held }) => [
            BAR + line(wing),
            ...countsOf(held),
            plural(rooms, 'room'),
          ]),
        },
        terminal,
      ),
    address: 'The wings',
    tool: {
      name: 'mempalace_list_wings',
      title: 'The wings of the palace',
      description: 'Every wing with its number of drawers.',
      answer: ({ wings }) =>
        named(
          'wings',
          wings.map(({ wing, drawers }) => [wing, drawers]),
        ),
    },
  }),
  listRooms: operation({
    name: 'list rooms',
    summary: 'List the rooms',
    reads: true,
    inWing: inItsOwn,
    input: () => z.strictObject({ wing: wing(), ...openPage() }),
    output: () =>
      z.strictObject({
        ...head('rooms'),
        rooms: z.array(z.strictObject({ wing: z.string(), room: z.string(), ...held })),
      }),
    run({ wing, ...page }, { handle }) {
      const { head, rows } = among('rooms', roomsOf(handle.get(), wing), page);
      return { ...head, rooms: rows };
    },
    isEmpty,
    text: (document, terminal) =>
      printList(
        document,
        {
          columns: [{ style: 'cyan', share: 0.3 }, { share: 0.3 }, NUMBER, NUMBER],
          rows: document.rooms.map(({ wing, room, ...held }) => [
            BAR + line(wing),
            line(room),
            ...countsOf(held),
          ]),
        },
        terminal,
      ),
    address: 'The rooms',
    tool: {
      name: 'mempalace_list_rooms',
      title: 'The rooms of a wing',
      description: 'Every room with its number of drawers, of one wing or of all.',
      answer: ({ rooms }, _, { wing = 'all' }) => ({
        wing,
        ...named(
          'rooms',
          sums(rooms, ({ room }) => room),
        ),
      }),
    },
  }),
  listDays: operation({
    name: 'list days',
    summary: 'List the days with content, newest first',
    reads: true,
    inWing: inItsOwn,
    input: () => z.strictObject({ wing: wing(), since: since(), ...openPage(ROWS) }),
    output: () =>
      z.strictObject({
        ...head('days'),
        days: z.array(
          z.strictObject({
            day,
            ...held,
            wings: z.array(z.strictObject({ wing: z.string(), ...held })),
          }),
        ),
      }),
    run({ wing, since, ...page }, { handle }) {
      const days = groupBy(handle.get().listing.days({ wing, since }), ({ day }) => day);
      const { head, rows } = among('days', [...days], page);
      const shown = rows.map(([day, ofDay]) => ({
        day,
        ...totalOf(ofDay),
        wings: ofDay.map(({ day: _, ...wing }) => wing),
      }));
      return { ...head, days: shown };
    },
    isEmpty,
    text(document, terminal) {
      const bars = levels(document.days.map(({ drawers }) => drawers));
      const rows = document.days.map(({ day, sources, drawers, wings }, index) => [
        day,
        ...pictured(terminal).map(() => bars[index] ?? ''),
        plural(sources, 'source'),
        plural(drawers, 'drawer'),
        BAR + wings.map(({ wing }) => line(wing)).join(', '),
      ]);
      const columns = [{}, ...pictured(terminal), NUMBER, NUMBER, { share: 0.4 }];
      printList(document, { columns, rows }, terminal);
    },
    address: 'How many sources have their newest content on each day, newest first',
  }),
};

const roomsOf = (palace: Palace, wing: string | undefined) =>
  palace.rooms().filter((room) => wing === undefined || room.wing === wing);

const countsOf = ({ sources, drawers }: { sources: number; drawers: number }): string[] => [
  plural(drawers, 'drawer'),
  plural(sources, 'source'),
];
