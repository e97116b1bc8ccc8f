/** The documents of a search. */
import * as z from 'zod/mini';
import { count, day, drawerId, name, share } from '../fields.js';
import { drawer, source } from '../source.js';

export type SearchSchema = ReturnType<typeof searchDocuments>['whole'];
export type SearchDocument = z.output<SearchSchema>;

export function searchDocuments() {
  const number = z.int().check(z.minimum(1));

  const scores = z.strictObject({
    lexical: share,
    semantic: share,
    bm25: z.number().check(z.minimum(0)),
    match: share,
    beside: share,
    source: share,
    drawers: number,
    words: share,
    /** Only for a question that names a time. */
    time: z.optional(share),
    relevance: share,
    recency: share,
    importance: share,
    here: z.union([z.literal(0), z.literal(1)]),
  });

  const scored = { drawer_id: drawerId, score: share, scores };
  const ranked = { ...scored, line_start: number, line_end: number, content_date: z.nullable(day) };

  const hit = z.strictObject({
    ...z.omit(source, { source_key: true, drawers: true }).shape,
    ...z.omit(drawer, { chunk_index: true }).shape,
    ...ranked,
    /** The most relevant line, counted in the source. */
    focus: z.nullable(z.strictObject({ line_start: number, line_end: number })),
    passage: z.strictObject({
      line_start: number,
      line_end: number,
      drawers: z.array(z.strictObject(ranked)).check(z.minLength(1)),
      text: z.string(),
    }),
    more: z.array(z.strictObject(ranked)),
  });

  const indexHit = z.strictObject({
    ...scored,
    date: day,
    wing: z.string(),
    room: z.string(),
    title: name,
    snippet: z.string().check(z.maxLength(200)),
    more_passages: count,
  });

  const related = z.strictObject({
    link: z.string(),
    from: drawerId,
    ...z.pick(source, { source_key: true, source_file: true, wing: true, room: true, title: true }).shape,
    drawer_id: drawerId,
  });

  const documentOf = <Item extends z.ZodMiniType>(item: Item) =>
    z.strictObject({
      query: z.string(),
      excluded: z.array(z.string()),
      weak: z.boolean(),
      notes: z.array(z.string()),
      hits: z.array(item),
      related: z.optional(z.array(related)),
    });

  /** `index`: with `--format index`. */
  return { whole: documentOf(hit), index: documentOf(indexHit) };
}
