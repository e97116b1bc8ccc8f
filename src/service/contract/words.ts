import { z } from 'zod';
import type { SourceKind } from '../../core/contract.js';
import { PRIORITIES } from '../../core/importance.js';
import { TEXT_KINDS } from '../../core/text-kind.js';
import { TURN_ROLES } from '../../core/turns.js';

const kind = z.enum(['document', 'conversation'] satisfies SourceKind[]);
const name = z.string().nullable();
const count = z.int().min(0);

export const priority = z.enum(PRIORITIES).nullable();

/** A place in a source's text where somebody begins to speak. */
export const turn = z.object({
  role: z.enum(TURN_ROLES),
  start: count,
  message: z.string().optional(),
  gone: z.literal(true).optional(),
});

/** What a drawer and its source have in common. */
const place = z.object({
  sourceKey: z.string(),
  sourceFile: z.string(),
  origin: z.string(),
  kind,
  textKind: z.enum(TEXT_KINDS).nullable(),
  wing: z.string(),
  room: z.string(),
  sessionId: name,
  directory: name,
});

/** A passage of a source, word for word. */
export const drawer = place.extend({
  drawerId: z.string(),
  title: z.string(),
  place: z.string(),
  text: z.string(),
  context: z.string(),
  chunkIndex: count,
  lineStart: z.int(),
  lineEnd: z.int(),
  /** Position in the source's whole text, UTF-16 units. */
  charStart: count,
  charEnd: count,
  contentDate: name,
  /** Date of its content, else the day of its source's last change. */
  day: z.string(),
  role: name,
  priority,
  pinned: z.boolean(),
  /** Marks within its text, with the one that is running at its beginning; null for a document, and where unknown. */
  turns: z.array(turn).nullable(),
});

export const source = place.extend({
  title: name,
  mtimeMs: z.number(),
  hash: z.string(),
  /** Length of the whole text, UTF-16 units. */
  chars: count,
  drawers: count,
});
