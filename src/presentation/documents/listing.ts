import { z } from 'zod';
import {
  byReason,
  count,
  day,
  feeder,
  held,
  line,
  model,
  moment,
  priority,
  problem,
  scheduler,
  source,
  text,
} from './words.js';

const run = z.strictObject({
  id: line,
  command: text,
  started: moment,
  seconds: z.number().min(0).nullable(),
  exit_code: z.int().nullable(),
  running: z.boolean(),
  new: count.nullable(),
  changed: count.nullable(),
  unchanged: count.nullable(),
  removed: count.nullable(),
  skipped: count.nullable(),
  drawers_added: count.nullable(),
  drawers_removed: count.nullable(),
  redacted: byReason,
  skipped_by_reason: byReason,
  problems: z.array(problem),
  counts: z.record(text, z.unknown()),
  versions: z.record(text, text),
});

const listed = (what: string) => ({
  list: z.literal(what),
  total: count.nullable(),
  offset: count,
  limit: line.nullable(),
});

/** What the palace contains. */
export const listing = {
  status: z.strictObject({
    palace: text,
    bytes: count,
    model,
    sources: count,
    drawers: count,
    meaning: z.strictObject({ texts: count, pending: count, percent: count }),
    words: z.strictObject({ texts: count, pending: count, percent: count }).optional(),
    tasks: z.strictObject({ open: count, taken: count }).optional(),
    summaries: z.strictObject({ model: text, spent_today: count, daily_budget: count }).optional(),
    hooks: z
      .strictObject({
        waiting: count,
        set_aside: z.array(
          z.strictObject({ harness: text.nullable(), session_id: text.nullable(), reason: text }),
        ),
      })
      .optional(),
    broker: z
      .strictObject({
        pid: count,
        version: text,
        started: text,
        clients: count,
        socket: text,
        http: text.optional(),
        watching: z
          .strictObject({
            paths: z.array(text),
            missing: z.array(text),
            last: z.strictObject({ command: text, ended: text, exit_code: z.int().nullable() }).nullable(),
          })
          .optional(),
      })
      .nullable(),
    wings: z.array(
      z.strictObject({
        wing: text,
        sources: count,
        drawers: count,
        rooms: z.array(z.strictObject({ room: text, sources: count, drawers: count })),
      }),
    ),
    remarks: z.array(z.strictObject({ text, hint: text })),
    feeders: z.array(feeder),
    stale: z.array(
      z.strictObject({
        command: text,
        schedulers: z.array(scheduler).min(1),
        last_done: moment.nullable(),
        days: count.nullable(),
        notice: text,
      }),
    ),
    runs: z.array(run),
  }),
  listWings: z.strictObject({
    ...listed('wings'),
    wings: z.array(z.strictObject({ wing: text, rooms: count, ...held })),
  }),
  listRooms: z.strictObject({
    ...listed('rooms'),
    rooms: z.array(z.strictObject({ wing: text, room: text, ...held })),
  }),
  listDays: z.strictObject({
    ...listed('days'),
    days: z.array(z.strictObject({ day, ...held, wings: z.array(z.strictObject({ wing: text, ...held })) })),
  }),
  listSources: z.strictObject({
    ...listed('sources'),
    sources: z.array(
      source.extend({
        date: day,
        chars: count,
        filed_at: moment,
        priority,
        priority_from: z.enum(['user', 'approved-rule', 'rule', 'front-matter', 'manifest']).nullable(),
        pinned: z.boolean(),
      }),
    ),
  }),
  listRuns: z.strictObject({ ...listed('runs'), runs: z.array(run) }),
  map: z.strictObject({
    wings: z.array(
      z.strictObject({
        wing: text,
        ...held,
        last: day,
        rooms: z.array(z.strictObject({ room: text, ...held, last: day, cold: z.boolean() })),
      }),
    ),
    file: text.optional(),
    changed: z.boolean().optional(),
  }),
};
