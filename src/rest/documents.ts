/** What addresses answer that are no operations: the documents of other commands, and what only a server can say. */
import * as z from 'zod/mini';
import { documentOf } from '../adapters/rest.js';
import { LOG_LEVELS, LOGS } from '../core/logs.js';
import { NOTICE } from '../core/outside.js';
import { NAMED_OPERATIONS } from '../operations/all.js';
import { count, drawerId, name } from '../operations/fields.js';
import { status } from '../operations/listing/status.js';
import { drawer, source } from '../operations/source.js';
import { proposal } from '../operations/suggestions.js';

const text = z.string();
const line = z.int().check(z.minimum(1));
const moment = z.iso.datetime();
const { feeders } = status.output().shape;
const notice = z.literal(NOTICE);
const { priority } = drawer.shape;
/** As in the file; null: none. */
const setting = z.nullable(z.union([text, z.number(), z.array(z.unknown())]));

export const documents = {
  error: z.strictObject({
    error: z.strictObject({ code: text, message: text, hint: z.optional(text), exit_code: line }),
  }),
  showDrawer: z.strictObject({
    notice,
    kind: z.literal('drawer'),
    drawer: z.extend(drawer, {
      line_start: line,
      line_end: line,
      role: z.nullable(z.enum(['user', 'assistant', 'tool'])),
    }),
    source,
    passage: z.strictObject({ drawers: z.array(drawerId).check(z.minLength(1)), text }),
    previous: z.nullable(drawerId),
    next: z.nullable(drawerId),
  }),
  showSource: z.strictObject({
    notice,
    kind: z.literal('source'),
    source,
    priority,
    pinned: z.boolean(),
    chars: count,
    turns: z.nullable(z.array(z.tuple([text, count]))),
    gone: z.array(count),
    text,
  }),
  projects: z.strictObject({
    path: text,
    exists: z.boolean(),
    projects: z.array(z.strictObject({ dir: text, line, there: z.boolean() })),
    problems: z.array(z.strictObject({ line, text, reason: text })),
  }),
  config: z.strictObject({
    file: z.strictObject({ path: text, exists: z.boolean() }),
    settings: z.record(text, z.unknown()),
    origins: z.record(text, text),
    on_page: z.array(z.strictObject({ key: text, choices: z.nullable(z.array(text)) })),
  }),
  configChanged: z.strictObject({
    key: text,
    file: text,
    changed: z.boolean(),
    former: setting,
    value: setting,
    in_force: setting,
    origin: text,
  }),
  log: z.strictObject({
    logs: z.array(z.strictObject({ log: z.enum(LOGS), path: text, exists: z.boolean() })),
    entries: z.array(
      z.strictObject({ log: z.enum(LOGS), time: moment, level: z.enum(LOG_LEVELS), by: text, text }),
    ),
    showing: count,
  }),
  scheduleStatus: z.strictObject({
    schedules: z.array(
      z.strictObject({
        scheduler: z.enum(['systemd', 'launchd', 'cron']),
        command: text,
        installed: z.boolean(),
        active: z.nullable(z.boolean()),
        next: z.nullable(moment),
        last: z.nullable(moment),
        result: name,
        exit_code: z.nullable(z.int()),
        installed_at: z.nullable(moment),
        problems: z.array(text),
      }),
    ),
    feeders,
  }),
  doctor: z.strictObject({
    command: z.literal('mempalace doctor'),
    ok: count,
    warnings: count,
    failures: count,
    findings: z.array(
      z.strictObject({ status: z.enum(['ok', 'warn', 'fail']), label: text, detail: text, next: name }),
    ),
  }),
  metabolismApplied: z.strictObject({
    command: z.literal('mempalace metabolism'),
    applied: proposal,
    file: name,
  }),
  /** A run goes on: `run` is in its events. */
  runStarted: z.strictObject({ command: text, run: text }),
};

export type Document<Name extends keyof typeof documents> = z.output<(typeof documents)[Name]>;

/** All that addresses answer. */
export const answers: Readonly<Record<string, z.core.$ZodType>> = {
  ...documents,
  ...Object.fromEntries(NAMED_OPERATIONS.map(([name, operation]) => [name, documentOf(operation)])),
};
