/** A source and its drawers in documents, and as agents are told of them. */
import * as z from 'zod/mini';
import { PRIORITIES } from '../core/importance.js';
import { TEXT_KINDS } from '../core/text-kind.js';
import { count, day, drawerId, name } from './fields.js';
import { told } from './told.js';

export const source = z.strictObject({
  source_key: z.string(),
  source_file: z.string(),
  origin: z.string(),
  kind: z.enum(['document', 'conversation']),
  text_kind: z.nullable(z.enum(TEXT_KINDS)),
  wing: z.string(),
  room: z.string(),
  title: name,
  session_id: name,
  directory: name,
  drawers: count,
});
export type Source = z.output<typeof source>;

export const drawer = z.strictObject({
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
});
export type Drawer = z.output<typeof drawer>;

/** To an agent, the kind of a text says less than the text. */
export function sourceFor<Fields extends Source>(shown: Fields) {
  const { source_key: _, text_kind: _kind, drawers: _drawers, ...fields } = shown;
  return told(fields);
}

/** Without its text. That a document has no turns says nothing. */
export function drawerFor(shown: Drawer, { kind }: Pick<Source, 'kind'>) {
  const { chunk_index: _, text: _text, turns, pinned, ...fields } = shown;
  const speakers = turns === null ? { turns_unknown: true } : { turns };
  return { ...told(fields), ...(pinned && { pinned }), ...(kind === 'conversation' && speakers) };
}
