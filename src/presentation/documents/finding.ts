import { z } from 'zod';
import {
  count,
  day,
  drawerId,
  held,
  line,
  notice,
  priority,
  share,
  source,
  sourceFields,
  text,
} from './words.js';

const scores = z.strictObject({
  lexical: share,
  semantic: share,
  bm25: z.number().min(0),
  match: share,
  beside: share,
  source: share,
  drawers: z.number().int().min(1),
  words: share,
  time: share.optional(),
  relevance: share,
  recency: share,
  importance: share,
  here: z.union([z.literal(0), z.literal(1)]),
});

const ranked = {
  drawer_id: drawerId,
  score: share,
  scores,
  line_start: line,
  line_end: line,
  content_date: day.nullable(),
};

const hit = z.strictObject({
  ...ranked,
  ...sourceFields,
  focus: z.strictObject({ line_start: line, line_end: line }).nullable(),
  context: text.nullable(),
  role: z.enum(['user', 'assistant', 'tool']).nullable(),
  turns: z.array(text).nullable(),
  priority,
  pinned: z.boolean(),
  text,
  passage: z.strictObject({
    line_start: line,
    line_end: line,
    drawers: z.array(z.strictObject(ranked)).min(1),
    text,
  }),
  more: z.array(z.strictObject(ranked)),
});

const indexHit = z.strictObject({
  drawer_id: drawerId,
  date: day,
  wing: text,
  room: text,
  title: text.nullable(),
  snippet: text.max(200),
  more_passages: z.int().nonnegative(),
  score: share,
  scores,
});

const related = z.strictObject({
  link: text,
  from: drawerId,
  drawer_id: drawerId,
  source_key: text,
  source_file: text,
  wing: text,
  room: text,
  title: text.nullable(),
});

const answer = { query: text, excluded: z.array(text), notice, weak: z.boolean(), notes: z.array(text) };

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
  search: z.strictObject({ ...answer, hits: z.array(hit), related: z.array(related).optional() }),
  searchIndex: z.strictObject({ ...answer, hits: z.array(indexHit), related: z.array(related).optional() }),
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
