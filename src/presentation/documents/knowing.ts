import { z } from 'zod';
import { PATTERN_KINDS } from '../../core/pattern-kinds.js';
import { factRow } from '../../knowledge/facts/index.js';
import { count, day, drawerId, line, moment, notice, text } from './words.js';

const instant = z.string().regex(/^\d{4}-\d{2}-\d{2}(?:T\d{2}:\d{2}:\d{2}Z)?$/);

const factFields = {
  ...factRow.shape,
  valid_from: instant.nullable(),
  valid_to: instant.nullable(),
  source_drawer_id: drawerId.nullable(),
};

const fact = z.strictObject({ ...factFields, current: z.boolean() });

const kgTold = {
  command: z.literal('mempalace kg'),
  notice,
  added: z.boolean(),
  fact,
  conflicts: z.array(fact),
  redacted: z.record(text, count),
};

const checkpointShape = z.strictObject({
  checkpoint_id: z.string(),
  session: z.string(),
  title: z.string(),
  wing: z.string(),
  directory: z.string().nullable(),
  timestamp: z.string(),
  line: z.int().nullable(),
});

/** Checkpoints, diaries and facts. */
export const knowing = {
  patterns: z.strictObject({
    notice,
    total: count,
    unread: count,
    patterns: z.array(
      z.strictObject({
        kind: z.enum(PATTERN_KINDS),
        tool: text.nullable(),
        text,
        count,
        occurrences: z.array(
          z.strictObject({
            drawer_id: drawerId.nullable(),
            day,
            source: text,
            command: text.nullable(),
            file: text.nullable(),
            fix: z.strictObject({ drawer_id: drawerId, edits: z.array(text) }).nullable(),
          }),
        ),
      }),
    ),
  }),
  checkpointList: z.strictObject({
    notice: z.string(),
    checkpoints: z.array(checkpointShape),
    total: z.number(),
    showing: z.number(),
    offset: z.number(),
  }),
  checkpointShow: checkpointShape.extend({ notice: z.string(), content: z.string() }),
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
  diaryRead: z.strictObject({
    notice,
    entries: z.array(
      z.strictObject({
        entry_id: text,
        agent: text,
        wing: text,
        topic: text,
        date: day,
        timestamp: moment,
        content: text,
      }),
    ),
    total: count,
    showing: count,
    offset: count,
  }),
  diaryWrite: z.strictObject({
    command: z.literal('mempalace diary write'),
    written: z.boolean(),
    entry_id: text,
    agent: text,
    wing: text,
    topic: text,
    timestamp: moment,
    drawers: z.array(drawerId).min(1),
    redacted: z.record(text, count),
  }),
  kgAdd: z.strictObject(kgTold),
  kgSupersede: z.strictObject({ ...kgTold, at: instant, ended: z.array(fact) }),
  kgInvalidate: z.strictObject({
    command: z.literal('mempalace kg'),
    notice,
    at: instant,
    ended: z.array(fact),
    open: z.array(fact),
  }),
  kgQuery: z.strictObject({
    notice,
    entity: text,
    known: z.boolean(),
    as_of: instant.nullable(),
    facts: z.array(fact.extend({ direction: z.enum(['outgoing', 'incoming']) })),
    count,
    total: count,
  }),
  kgTimeline: z.strictObject({
    notice,
    entity: text.nullable(),
    as_of: instant.nullable(),
    facts: z.array(fact),
    offset: count,
    total: count,
  }),
  conflicts: z.strictObject({
    notice,
    conflicts: z.array(z.strictObject({ subject: text, predicate: text, facts: z.array(fact).min(2) })),
  }),
  kgResolve: z.strictObject({
    command: z.literal('mempalace kg'),
    notice,
    kept: fact,
    ended: fact,
    at: instant,
    source_key: text,
    drawers: z.array(drawerId),
    redacted: z.record(text, count),
  }),
  kgStats: z.strictObject({
    notice,
    entities: count,
    triples: count,
    current_facts: count,
    expired_facts: count,
    relationship_types: z.array(z.strictObject({ predicate: text, facts: line })),
    conflicts: z.array(z.strictObject({ subject: text, predicate: text, objects: z.array(text).min(2) })),
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
