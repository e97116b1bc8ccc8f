/** Drawers, page by page. */
import * as z from 'zod/mini';
import { PRIORITIES } from '../../core/importance.js';
import { beginningOf } from '../budget.js';
import { day, drawerId, field, offset, room, text, wing } from '../fields.js';
import { operation } from '../operation.js';
import { inItsOwn } from '../wing.js';
import { head, isEmpty, ROWS } from './list.js';

const PREVIEW_CHARS = 200;
const MOST = 100;

export const drawers = {
  listDrawers: operation({
    name: 'list drawers',
    reads: true,
    inWing: inItsOwn,
    input: () =>
      z.strictObject({
        ...{ wing: wing(), room: room() },
        type: field(z.optional(text()), 'only of this type', { hidden: true }),
        priority: field(z.optional(z.enum(PRIORITIES)), 'only of this priority', { hidden: true }),
        since: field(z.optional(text()), 'not older', { day: true, agents: 'not older: 2026-03-01, 3d, 2w' }),
        until: field(z.optional(text()), 'not newer', { day: true, tool: 'before' }),
        limit: field(z._default(z.int().check(z.minimum(1)), ROWS), 'rows to show', {
          agents: '',
          most: MOST,
        }),
        offset: offset('rows to skip', ''),
      }),
    output: () =>
      z.strictObject({
        ...head('drawers'),
        drawers: z.array(
          z.strictObject({
            drawer_id: drawerId,
            wing: z.string(),
            room: z.string(),
            source_file: z.string(),
            date: day,
            text: z.string(),
          }),
        ),
      }),
    run({ limit, offset, ...filter }, { handle }) {
      const palace = handle.get();
      return palace.snapshot(() => ({
        list: 'drawers' as const,
        total: palace.listing.countDrawers(filter),
        ...{ offset, limit },
        drawers: palace.listing.drawers(filter, { limit, offset }).map((drawer) => {
          const { drawerId: drawer_id, sourceFile: source_file, wing, room, day: date, text } = drawer;
          return { drawer_id, wing, room, source_file, date, text };
        }),
      }));
    },
    isEmpty,
    tool: {
      name: 'mempalace_list_drawers',
      title: 'Drawers, page by page',
      description: 'Drawers of a wing or room with the beginning of their texts, newest first.',
      answer: ({ list: _, drawers, ...page }) => ({
        drawers: drawers.map(({ text, ...drawer }) => ({ ...drawer, content_preview: previewOf(text) })),
        count: drawers.length,
        ...page,
      }),
    },
  }),
};

/** The beginning of a drawer's text, as lists for agents show it. */
export function previewOf(content: string): string {
  const beginning = content.slice(0, PREVIEW_CHARS);
  return beginning === content ? content : `${beginningOf(beginning, PREVIEW_CHARS)}…`;
}
