import { z } from 'zod';
import { count, day, drawerId, line, notice, priority, source, text } from './words.js';

/** A passage with its place. */
const drawer = {
  drawer_id: drawerId,
  chunk_index: count,
  line_start: line,
  line_end: line,
  content_date: day.nullable(),
  role: z.enum(['user', 'assistant', 'tool']).nullable(),
  turns: z.array(text).nullable(),
  context: text.nullable(),
  priority,
  pinned: z.boolean(),
  text,
};

const shownDrawer = z.strictObject({
  notice,
  kind: z.literal('drawer'),
  drawer: z.strictObject(drawer),
  source,
  passage: z.strictObject({ drawers: z.array(drawerId).min(1), text }),
  previous: drawerId.nullable(),
  next: drawerId.nullable(),
});

const shownSource = z.strictObject({
  notice,
  kind: z.literal('source'),
  source,
  priority,
  pinned: z.boolean(),
  chars: count,
  turns: z.array(z.tuple([text, count])).nullable(),
  gone: z.array(count),
  text,
});

/** What was found, and its surroundings. */
export const finding = {
  showDrawer: shownDrawer,
  showSource: shownSource,
  showSeveral: z.strictObject({
    notice,
    shown: z.array(z.union([shownDrawer, shownSource])),
    not_shown: z.array(z.strictObject({ name: text, reason: text })),
  }),
};
