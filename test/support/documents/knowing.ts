import { z } from 'zod';
import { factRow } from '../../../src/knowledge/facts/index.js';
import { count, day, drawerId, line, moment, notice, text } from './words.js';

const instant = z.string().regex(/^\d{4}-\d{2}-\d{2}(?:T\d{2}:\d{2}:\d{2}Z)?$/);

const factFields = {
  ...factRow.shape,
  valid_from: instant.nullable(),
  valid_to: instant.nullable(),
  source_drawer_id: drawerId.nullable(),
};

const fact = z.strictObject({ ...factFields, current: z.boolean() });

/** Checkpoints, diaries and facts. */
export const knowing = {
  checkpointMade: z.strictObject({ command: z.string(), checkpoint_id: z.string(), session: z.string() }),
  summarised: z.strictObject({
    command: text,
    dry_run: z.literal(false),
    model: text,
    summaries: z.array(
      z.strictObject({
        session: text,
        summary_id: text,
        title: text,
        tokens: count,
        redacted: z.record(text, count),
      }),
    ),
    problems: z.array(z.strictObject({ session: text, reason: text })),
    left: count,
    stopped: text.nullable(),
    spent_today: count,
    daily_budget: count,
  }),
  summarisePreview: z.strictObject({
    command: text,
    dry_run: z.literal(true),
    sessions: z.array(z.strictObject({ session: text, title: text, day, grown: z.boolean() })),
    left: count,
    estimated_tokens: count,
    spent_today: count,
    daily_budget: count,
  }),
  kgExport: z.strictObject({
    format: z.literal('mempalace-facts'),
    version: z.literal(1),
    made: moment,
    facts: z.array(z.strictObject(factFields)),
  }),
  kgExportTo: z.strictObject({ command: z.literal('mempalace kg'), to: text, facts: count }),
  kgForget: z.strictObject({
    command: z.literal('mempalace kg'),
    dry_run: z.literal(true).optional(),
    notice,
    forgotten: z.array(fact),
    backups: z.array(z.strictObject({ file: text, outcome: z.enum(['erased', 'removed']) })),
    unknown: z.array(text),
    log_emptied: z.boolean(),
  }),
  kgImport: z.strictObject({
    command: z.literal('mempalace kg'),
    dry_run: z.literal(true).optional(),
    new: count,
    ended: count,
    unchanged: count,
    forgotten: count,
    redacted: z.record(text, count),
    problems: z.array(z.strictObject({ row: line, reason: text })),
  }),
};
