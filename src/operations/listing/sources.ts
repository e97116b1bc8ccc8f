/** Documents and sessions. */
import { basename } from 'node:path';
import * as z from 'zod/mini';
import { PRIORITIES } from '../../core/importance.js';
import { BAR, line } from '../../core/outside.js';
import { plural } from '../../core/plural.js';
import { count, day, priority, room, type, wing } from '../fields.js';
import { operation } from '../operation.js';
import { source } from '../source.js';
import { inItsOwn } from '../wing.js';
import { head, isEmpty, NUMBER, page, printList } from './list.js';

export const sources = {
  listSources: operation({
    name: 'list sources',
    summary: 'List documents and sessions, newest first',
    reads: true,
    inWing: inItsOwn,
    input: () =>
      z.strictObject({ wing: wing(), room: room(), type: type(), priority: priority(), ...page() }),
    output: () =>
      z.strictObject({
        ...head('sources'),
        sources: z.array(
          z.extend(source, {
            date: day,
            chars: count,
            filed_at: z.iso.datetime(),
            priority: z.nullable(z.enum(PRIORITIES)),
            priority_from: z.nullable(z.enum(['user', 'approved-rule', 'rule', 'front-matter', 'manifest'])),
            pinned: z.boolean(),
          }),
        ),
      }),
    async run({ limit, offset, ...filter }, { handle }) {
      const { sourceJson } = await import('../drawer-fields.js');
      const palace = handle.get();
      return palace.snapshot(() => ({
        list: 'sources' as const,
        total: palace.listing.countSources(filter),
        ...{ offset, limit },
        sources: palace.listing.sources(filter, { limit, offset }).map((row) => {
          const { day: date, chars, filed_at, priority, priority_from, pinned } = row;
          return {
            ...sourceJson(row, row.drawers),
            ...{ date, chars, filed_at, priority, priority_from, pinned: pinned === 1 },
          };
        }),
      }));
    },
    isEmpty,
    text(document, terminal) {
      const shown = document.sources.map((source) => ({
        day: source.date,
        place: BAR + line(`${source.wing}/${source.room}`),
        name: line(source.title ?? '') || line(basename(source.source_file)),
        size: plural(source.drawers, 'drawer'),
        key: line(source.source_key),
        id: line(source.session_id ?? source.source_key),
      }));
      if (terminal.width === undefined) {
        const rows = shown.map((row) => [row.day, row.place, row.name, row.size, row.key]);
        return printList(document, { columns: [], rows }, terminal);
      }
      // The key for `mempalace show` does not fit next to the title, so it is printed below.
      const rows = shown.map(({ day, size, name }) => [day, size, BAR + name]);
      const below = shown.map(({ place, id }) => `${place}  ${id}`);
      return printList(document, { columns: [{}, NUMBER, { style: 'bold' }], rows, below }, terminal);
    },
    address: 'Documents and sessions, newest first',
  }),
};
