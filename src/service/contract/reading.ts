import { z } from 'zod';
import { drawer, priority, source, turn } from './words.js';

/** A drawer with its neighbours, or a source without its text. */
export const shown = z.discriminatedUnion('kind', [
  z.object({
    kind: z.literal('drawer'),
    drawer,
    /** Number of drawers in its source. */
    count: z.int(),
    /** The drawer and its neighbours, in the order of the source. */
    passage: z.array(drawer),
    /** Ids of the drawers before and after the passage; null at the source's ends. */
    previous: z.string().nullable(),
    next: z.string().nullable(),
  }),
  z.object({
    kind: z.literal('source'),
    source,
    /** The user's, else the one that is found in it. */
    priority,
    pinned: z.boolean(),
    /** Null for a document, and where unknown. */
    turns: z.array(turn).nullable(),
    /** Where its text is dated. */
    dates: z.array(z.object({ charStart: z.int(), contentDate: z.string() })),
  }),
]);
