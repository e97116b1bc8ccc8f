import { z } from 'zod';
import { INGEST_MODES } from '../../core/contract.js';
import { isErrno, messageOf, UserError } from '../../core/errors.js';
import { PRIORITIES } from '../../core/importance.js';
import { parseJson } from '../../core/json.js';
import { TURN_ROLES } from '../../core/turns.js';
import { collectionRow } from '../../knowledge/collections/exchange.js';
import { factRow } from '../../knowledge/facts/index.js';
import { taskRow } from '../../knowledge/tasks/exchange.js';
import { type JsonLine, readLines } from '../../platform/jsonl.js';
import { type ModelIdentity, parseModel } from '../../store/index.js';

/**
 * The lines of an export, one JSON object each: a header; projects and tombstones; then per source its row, its whole
 * text in pieces, its drawers with their vectors, and an end; facts; collections; tasks; and a last line. Every line of a source contains
 * its key, so that a broken line affects no other source.
 */
export const FORMAT = 'mempalace-export';
export const FORMAT_VERSION = 1;

const key = z.string().min(1);
const text = z.string();
const count = z.int().nonnegative();
const priority = z.enum(PRIORITIES).nullable();
const kind = z.enum(['document', 'conversation']);
/** A wing is a folder name of the staging area. */
const wing = z.string().regex(/^(?!\.{1,2}$)[^/\\\p{Cc}]{1,250}$/u);
const day = z
  .string()
  .regex(/^\d{4}-\d{2}-\d{2}$/)
  .nullable();

const headerLine = z.object({
  type: z.literal('header'),
  format: z.literal(FORMAT),
  version: z.int(),
  /** `<id>@<revision>/<dimension>` of the vectors. */
  model: z.string(),
  made: z.string(),
  /** Null for the whole palace. */
  wing: z.string().nullable(),
});

export const projectLine = z.object({
  type: z.literal('project'),
  id: key,
  root: text,
  root_commit: text.nullable(),
  wing,
  folder: wing,
});

export const tombstoneLine = z.object({
  type: z.literal('tombstone'),
  source_key: key,
  kind: z.enum(['document', 'conversation', 'fact']),
  wing: text,
  origin: text,
  session_id: text.nullable(),
  project_id: text.nullable(),
  forgotten_at: text,
});

export const sourceLine = z.object({
  type: z.literal('source'),
  source_key: key,
  source_file: key,
  origin: text,
  kind,
  wing,
  room: z.string().min(1),
  project_id: text.nullable(),
  title: text.nullable(),
  session_id: text.nullable(),
  directory: text.nullable(),
  /** Absent in exports of earlier programs; derived from the kind. */
  ingest_mode: z.enum(INGEST_MODES).optional(),
  source_mtime: z.number(),
  bytes: count,
  hash: text,
  versions: text,
  content_date: day,
  chars: count,
  priority,
  set_priority: priority,
  pinned: z.boolean(),
  filed_at: text,
  place: text,
  messages: z.array(z.string()),
  /** Role and start (UTF-16 units) of each turn; absent in exports of earlier programs, null if not known. */
  turns: z.array(z.tuple([z.enum(TURN_ROLES), count])).nullish(),
  /** For each turn the index of its message in `messages`, null if it has none; absent in exports of earlier programs. */
  turn_messages: z.array(count.nullable()).optional(),
  /** Indexes of the turns that are no longer at the origin; absent if there are none. */
  gone_turns: z.array(count).optional(),
});

const textLine = z.object({ type: z.literal('text'), source: key, text });

export const drawerLine = z.object({
  type: z.literal('drawer'),
  source: key,
  drawer_id: z.string().regex(/^drawer_[0-9a-f]{24}$/),
  chunk_index: count,
  char_start: count,
  char_end: count,
  line_start: count,
  line_end: count,
  content_date: day,
  role: text.nullable(),
  context: text,
  added_by: text,
  set_priority: priority,
  pinned: z.boolean(),
  filed_at: text,
  text,
  /** SHA-256 of the embedded text, hexadecimal. */
  vector_hash: z.string().regex(/^[0-9a-f]{64}$/),
  /** 32-bit floats, little endian, in base64; empty while the text has no vector. */
  vector: z.base64(),
});

const endLine = z.object({ type: z.literal('end'), source: key, pieces: count, drawers: count });
const collectionLine = collectionRow.extend({ type: z.literal('collection') });
const taskLine = taskRow.extend({ type: z.literal('task') });
const factLine = factRow.extend({ type: z.literal('fact') });
const doneLine = z.object({ type: z.literal('done'), sources: count });

export const bodyLine = z.discriminatedUnion('type', [
  projectLine,
  tombstoneLine,
  sourceLine,
  textLine,
  drawerLine,
  endLine,
  factLine,
  collectionLine,
  taskLine,
  doneLine,
]);

export type HeaderLine = z.infer<typeof headerLine>;
export type BodyLine = z.infer<typeof bodyLine>;
export type SourceLine = z.infer<typeof sourceLine>;
export type DrawerLine = z.infer<typeof drawerLine>;

/**
 * The model that made the vectors of an export.
 *
 * @throws UserError `not-found`, `unreadable` (not an export), `palace-newer` (written by a later program)
 */
export async function exportedModel(file: string): Promise<ModelIdentity> {
  for await (const { text } of exportedLines(file)) {
    const header = headerLine.safeParse(parseJson(text ?? ''));
    const model = header.success ? parseModel(header.data.model) : undefined;
    if (!header.success || model === undefined) break;
    if (header.data.version > FORMAT_VERSION) {
      throw new UserError(
        'palace-newer',
        `${file} has version ${header.data.version} of the format, this program knows ${FORMAT_VERSION}`,
        { hint: 'update mempalace-toolkit' },
      );
    }
    return model;
  }
  throw new UserError('unreadable', `${file} is not an export of a palace`, {
    hint: `its first line must name the format ${FORMAT}: mempalace export --jsonl writes it`,
  });
}

/** @throws UserError `not-found`, `unreadable` */
export async function* exportedLines(file: string): AsyncGenerator<JsonLine> {
  try {
    yield* readLines(file);
  } catch (error) {
    if (isErrno(error, 'ENOENT'))
      throw new UserError('not-found', `there is no file ${file}`, { cause: error });
    throw new UserError('unreadable', `${file} cannot be read: ${messageOf(error)}`, { cause: error });
  }
}
