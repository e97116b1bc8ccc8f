/** A drawer in documents. */
import * as z from 'zod/mini';
import { PRIORITIES } from '../core/importance.js';
import { TEXT_KINDS } from '../core/text-kind.js';
import { count, day, drawerId, name } from './fields.js';

/** Of its source. */
export const sourceFields = {
  source_file: z.string(),
  origin: z.string(),
  kind: z.enum(['document', 'conversation']),
  text_kind: z.nullable(z.enum(TEXT_KINDS)),
  wing: z.string(),
  room: z.string(),
  title: name,
  session_id: name,
  directory: name,
};

export const drawer = {
  drawer_id: drawerId,
  chunk_index: count,
  line_start: count,
  line_end: count,
  content_date: z.nullable(day),
  role: name,
  turns: z.nullable(z.array(z.string())),
  context: name,
  priority: z.nullable(z.enum(PRIORITIES)),
  pinned: z.boolean(),
  text: z.string(),
};
