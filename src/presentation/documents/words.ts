import { z } from 'zod';
import { NOTICE } from '../../core/outside.js';
import { TEXT_KINDS } from '../../core/text-kind.js';

export const count = z.int().min(0);
export const text = z.string();
export const day = z.string().regex(/^\d{4}-\d{2}-\d{2}$/);
export const drawerId = z.string().regex(/^drawer_[0-9a-f]{24}$/);
export const line = z.int().min(1);
export const notice = z.literal(NOTICE);
export const problem = z.strictObject({ origin: text, reason: text, detail: text.optional() });
export const byReason = z.record(text, count);
export const priority = z.enum(['high', 'medium', 'low']).nullable();

export const source = z.strictObject({
  source_key: text,
  source_file: text,
  origin: text,
  kind: z.enum(['document', 'conversation']),
  text_kind: z.enum(TEXT_KINDS).nullable(),
  wing: text,
  room: text,
  title: text.nullable(),
  session_id: text.nullable(),
  directory: text.nullable(),
  drawers: count,
});
export const model = z.strictObject({ id: text, revision: text, dimension: line });
export const moment = z.iso.datetime();
export const scheduler = z.enum(['systemd', 'launchd', 'cron']);

/** The last runs of a program that files. */
export const feeder = z.strictObject({
  command: text,
  last_run: moment,
  last_exit_code: z.int().nullable(),
  last_succeeded: moment.nullable(),
  last_done: moment.nullable(),
});
