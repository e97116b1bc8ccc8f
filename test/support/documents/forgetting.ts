import { z } from 'zod';
import { count, line, moment, text } from './words.js';

const tombstone = z.strictObject({
  source_key: text,
  kind: z.enum(['document', 'conversation', 'fact']),
  wing: text,
  origin: text,
  session_id: text.nullable(),
  run: line,
  forgotten_at: moment,
});

const scrubbed = {
  command: z.literal('mempalace scrub'),
  looked_at: count,
  redacted: z.record(text, count),
  drawers_added: count,
  drawers_removed: count,
  embedded: count,
  staged_removed: count,
  runs: count,
  facts: count,
  sources: z.array(
    z.strictObject({
      source_key: text,
      kind: z.enum(['document', 'conversation']),
      wing: text,
      room: text,
      redacted: z.record(text, count),
    }),
  ),
  backups: z.array(z.strictObject({ file: text, outcome: z.enum(['holds', 'unreadable', 'removed']) })),
  unknown: z.array(text),
};

/** What was erased. */
export const forgetting = {
  forgetAllow: z.strictObject({
    command: z.literal('mempalace forget'),
    dry_run: z.literal(true).optional(),
    allowed: z.array(tombstone),
  }),
  forgetList: z.strictObject({ command: z.literal('mempalace forget'), tombstones: z.array(tombstone) }),
  scrub: z.strictObject({ ...scrubbed, log_emptied: z.boolean() }),
  scrubDryRun: z.strictObject({ ...scrubbed, dry_run: z.literal(true) }),
};
