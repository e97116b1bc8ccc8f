import { z } from 'zod';
import { byReason, count, day, problem, text } from './words.js';

const summary = {
  command: text,
  new: count,
  changed: count,
  unchanged: count,
  moved: count,
  removed: count,
  removals: z.array(text),
  lost: z.array(z.strictObject({ origin: text, messages: count })),
  skipped: count,
  skipped_by_reason: byReason,
  problems: z.array(problem),
  redacted: byReason,
  drawers_added: count,
  drawers_removed: count,
  drawers_total: count,
  embedded: count,
  left: count,
  pending: count,
  seconds: z.number().min(0),
};

const planned = {
  command: text,
  dry_run: z.literal(true),
  new: count,
  changed: count,
  unchanged: count,
  removed: count,
  skipped: count,
  skipped_by_reason: byReason,
  problems: z.array(problem),
  drawers_added: z.literal(0),
  drawers_total: count,
};

const estimated = {
  drawers_estimated: count,
  seconds_estimated: z.number().min(0),
  largest: z.array(z.strictObject({ name: z.string(), bytes: count })),
};

const skip = z.strictObject({
  origin: text,
  reason: text,
  detail: text.optional(),
  problem: z.boolean().optional(),
});

const theirs = { from: text, collection: text.nullable(), drawers_read: count, dropped: byReason };

/** What runs file, and what goes in or out. */
const ofAgents = {
  exit_code: count,
  agents: z.array(
    z.strictObject({
      agent: text,
      exit_code: count,
      result: z.looseObject({}).nullable(),
      error: z.strictObject({ code: text, message: text, hint: text.optional() }).nullable(),
    }),
  ),
  seconds: z.number().min(0),
};

export const filing = {
  docs: z.strictObject({ ...summary, wing: text, notes: z.array(text) }),
  docsAll: z.strictObject({
    command: text,
    list: text,
    exit_code: count,
    projects: z.array(
      z.strictObject({
        project: text,
        exit_code: count,
        result: z.strictObject({ ...summary, wing: text, notes: z.array(text) }).nullable(),
        error: z.strictObject({ code: text, message: text, hint: text.optional() }).nullable(),
      }),
    ),
    new: count,
    changed: count,
    unchanged: count,
    removed: count,
    skipped: count,
    drawers_added: count,
    left: count,
    pending: count,
    problems: z.array(problem),
    seconds: z.number().min(0),
  }),
  docsDryRun: z.strictObject({
    ...planned,
    ...estimated,
    project: text,
    wing: text,
    documents: z.array(
      z.strictObject({
        path: text,
        class: text,
        room: text,
        bytes: count,
        status: z.enum(['new', 'changed', 'unchanged']),
      }),
    ),
    moved: count,
    removals: z.array(text),
    notes: z.array(text),
    skips: z.array(skip).optional(),
  }),
  session: z.strictObject(summary),
  sessions: z.strictObject({ ...summary, ...ofAgents }),
  sessionsDryRun: z.looseObject({ ...planned, ...ofAgents, sources: z.array(z.looseObject({})) }),
  sessionDryRun: z.strictObject({
    ...planned,
    ...estimated,
    sessions: z.array(
      z.strictObject({
        id: text,
        date: day,
        title: text,
        directory: text,
        wing: text,
        room: text,
        messages: count,
        status: z.enum(['new', 'grown', 'unchanged']),
        last_change: z.iso.datetime(),
      }),
    ),
    skips: z.array(skip),
  }),
  staged: z.strictObject({
    command: text,
    staged: count,
    files: z.array(text),
    skipped: count,
    skipped_by_reason: byReason,
    problems: z.array(problem),
  }),
  mine: z.strictObject(summary),
  mineDryRun: z.strictObject({
    ...planned,
    sources: z.array(
      z.strictObject({
        source_file: text,
        status: z.enum(['new', 'changed']),
        // Of transcripts that are not staged yet.
        title: text.nullable().optional(),
        date: day.nullable().optional(),
        messages: count.optional(),
      }),
    ),
  }),
  export: z.strictObject({
    command: z.literal('mempalace export'),
    format: z.enum(['markdown', 'jsonl']),
    to: text,
    wing: text.nullable(),
    sources: count,
    removed: count.nullable(),
    seconds: z.number().min(0),
  }),
  import: z.strictObject({
    ...summary,
    tombstones: count,
    facts: count,
    facts_erased: count,
    collections: count,
    tasks: count,
  }),
  importChroma: z.strictObject({ ...summary, ...theirs }),
  importChromaDryRun: z.strictObject({
    ...planned,
    ...theirs,
    sources: z.array(z.strictObject({ source_file: text, status: z.enum(['new', 'changed']) })),
  }),
  hookFlush: z.strictObject({
    command: text,
    sessions: z.int(),
    filed: z.int(),
    failed: z.int(),
    left: z.int(),
    set_aside: z.int(),
    problems: z.array(z.strictObject({ session_id: text, harness: text, reason: text })),
    summaries: z.strictObject({ filed: z.int(), left: z.int(), problem: text.nullable() }).optional(),
  }),
};
