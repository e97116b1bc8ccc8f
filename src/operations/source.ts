/** A source in documents, and as agents are told of it. */
import * as z from 'zod/mini';
import { TEXT_KINDS } from '../core/text-kind.js';
import { count, name } from './fields.js';
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

/** To an agent, the kind of a text says less than the text. */
export function sourceFor<Fields extends z.output<typeof source>>(shown: Fields) {
  const { source_key: _, text_kind: _kind, drawers: _drawers, ...fields } = shown;
  return told(fields);
}
