import { z } from 'zod';
import { count, line, model, moment, problem, text } from './words.js';

const reembedded = {
  command: z.literal('mempalace reembed'),
  model,
  previous: model,
  texts: count,
  resumed: count,
  embedded: count,
  switched: z.boolean(),
};

const facts = { sources: count, drawers: count, model, schema: line };

const repaired = {
  command: z.literal('mempalace repair'),
  problems: z.array(text),
  left: z.array(text),
  reindexed: z.boolean(),
  vectors_lost: count,
  vectors_restored: count,
  vectors_compared: count,
  vectors_replaced: count,
  compacted: z.boolean(),
  bytes_before: count,
  bytes_after: count,
  seconds: z.number().min(0),
};

const verdicts = {
  ok: count,
  missing: count,
  stale: count,
  orphaned: count,
  held_back: count,
  forgotten: count,
  not_checked: count,
};

/** Checks, repairs and backups. */
export const upkeep = {
  reembed: z.strictObject({ ...reembedded, seconds: z.number().min(0) }),
  reembedDryRun: z.strictObject({
    ...reembedded,
    dry_run: z.literal(true),
    to_embed: count,
    seconds_estimated: z.number().min(0).nullable(),
  }),
  backup: z.strictObject({
    command: z.literal('mempalace backup'),
    file: text,
    bytes: count,
    ...facts,
    seconds: z.number().min(0),
  }),
  restore: z.strictObject({
    command: z.literal('mempalace restore'),
    file: text,
    ...facts,
    before: text.nullable(),
    moved_aside: z.array(text),
    forgotten: count,
    uncertain: z.boolean(),
    seconds: z.number().min(0),
  }),
  restoreDryRun: z.strictObject({
    command: z.literal('mempalace restore'),
    dry_run: z.literal(true),
    file: text,
    ...facts,
    present: z.enum(['none', 'whole', 'damaged']),
    keeps_backup: z.boolean(),
    forgotten: count,
    uncertain: z.boolean(),
  }),
  restoreList: z.strictObject({
    command: z.literal('mempalace restore'),
    backups: z.array(
      z.strictObject({ file: text, before: text, damaged: z.boolean(), taken: moment, bytes: count }),
    ),
  }),
  verify: z.strictObject({
    command: z.literal('mempalace verify'),
    dry_run: z.literal(true).optional(),
    sessions: z.strictObject(verdicts),
    documents: z.strictObject(verdicts),
    wings: z.array(z.strictObject({ wing: text.nullable(), ...verdicts })),
    parts: count,
    missing_parts: count,
    findings: z.array(
      z.strictObject({
        kind: z.enum(['session', 'document']),
        status: z.enum(['missing', 'stale', 'orphaned', 'held_back', 'not_checked']),
        source_key: text,
        origin: text,
        wing: text.nullable(),
        title: text.nullable(),
        detail: text.nullable(),
        parts: count.nullable(),
        missing_parts: z.array(
          z.strictObject({ message: text, part: text.nullable(), kind: z.enum(['text', 'tool']) }),
        ),
      }),
    ),
    gone: z.array(
      z.strictObject({
        source_key: text,
        origin: text,
        wing: text,
        title: text.nullable(),
        messages: count,
      }),
    ),
    problems: z.array(problem),
    removed: z.strictObject({ sources: count, drawers: count, staged: count }).nullable(),
    seconds: z.number().min(0),
  }),
  repair: z.strictObject(repaired),
  repairDryRun: z.strictObject({ ...repaired, dry_run: z.literal(true) }),
  repairStatus: z.strictObject({
    command: z.literal('mempalace repair-status'),
    full: z.boolean(),
    drawers: count,
    bytes: count,
    unused_bytes: count,
    vectors_lost: count,
    problems: z.array(
      z.strictObject({ kind: z.enum(['rows', 'index', 'lexical', 'codes', 'vectors']), text }),
    ),
    cure: text.nullable(),
    seconds: z.number().min(0),
  }),
};
