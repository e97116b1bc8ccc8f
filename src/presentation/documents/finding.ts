import { z } from 'zod';
import { count, day, drawerId, held, line, notice, priority, share, source, text } from './words.js';

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

const told = z.strictObject({
  kind: z.enum(['drawer', 'document', 'session', 'diary']),
  drawer_id: drawerId,
  source_key: text,
  session_id: text.nullable(),
  wing: text,
  room: text,
  title: text.nullable(),
  directory: text.nullable(),
  date: day,
  priority,
  pinned: z.boolean(),
  score: share,
  text,
  cut: z.boolean(),
});

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
  wakeUp: z.strictObject({
    notice,
    wing: text.nullable(),
    budget: count,
    tokens: count,
    text,
    identity: text.nullable(),
    important: z.array(told),
    errors: z.array(
      z.strictObject({
        tool: text,
        subject: text.nullable(),
        message: text,
        sessions: count,
        fix: z.strictObject({ edits: z.array(text) }).nullable(),
        drawer_id: drawerId,
      }),
    ),
    diary: z.array(told),
    sessions: z.array(told),
    holdings: z.array(z.strictObject({ name: text, ...held })),
    elsewhere: z.strictObject({ projects: count, ...held }).nullable(),
  }),
};
