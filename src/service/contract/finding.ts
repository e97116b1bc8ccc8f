import { z } from 'zod';
import { GROUPINGS, RANKINGS } from '../../search/options.js';
import { coverage, drawer, filter, location, weights } from './words.js';

const scores = z.object({
  lexical: z.number(),
  semantic: z.number(),
  bm25: z.number(),
  words: z.number(),
  match: z.number(),
  beside: z.number(),
  source: z.number(),
  drawers: z.number(),
  /** Only for a question that names a time. */
  time: z.number().optional(),
  relevance: z.number(),
  recency: z.number(),
  importance: z.number(),
  here: z.number(),
});

const scored = z.object({ score: z.number(), scores });

const project = z.object({ id: z.string(), wing: z.string(), folders: z.array(z.string()) });

/** The best passage of a source, or a passage. */
const hit = scored.extend({
  drawer,
  /** How well its drawer matches by itself, whatever the others. */
  strength: z.number(),
  /** Cosine similarity, 0–1; absent where it was not compared. */
  semantic: z.number().optional(),
  /** Ranks by words and by meaning, from 0; absent where it was not found. */
  places: z.object({ lexical: z.number().optional(), semantic: z.number().optional() }),
  /** The most relevant line, counted in the source. */
  focus: z.object({ lineStart: z.int(), lineEnd: z.int() }).optional(),
  /** The drawer and adjacent ones that match too, in the order of the source. */
  passage: z.array(scored.extend({ drawer })),
  /** Further matching drawers of the source, best first. */
  more: z.array(
    scored.extend({
      drawer: drawer.pick({ drawerId: true, lineStart: true, lineEnd: true, contentDate: true }),
    }),
  ),
});

/** Searches passages. @throws UserError `not-found` if `scope` is `here` and no folder is in a filed project */
export const find = {
  input: z.object({
    question: z.string(),
    /** The client's clock, without a zone: the times that the question names are relative to it. */
    localTime: z.iso.datetime({ local: true }).optional(),
    /** Words and texts that no hit contains, besides those that the question excludes. */
    excluded: z.array(z.string()).optional(),
    filter,
    /** Where the client works; its project is preferred, or the only place. */
    around: z.object({
      /** Undefined: the project is preferred, unless the filter names a place. */
      scope: z.enum(['here', 'everywhere']).optional(),
      /** As the client names them, for a message. */
      folders: z.array(z.string()),
      locations: z.array(location),
    }),
    ranking: z.enum(RANKINGS),
    weights,
    halfLifeDays: z.number().positive(),
    by: z.enum(GROUPINGS),
    minScore: z.number(),
    /** Hits farther in meaning are omitted; those without a distance stay. */
    maxDistance: z.number().optional(),
    limit: z.int().min(1),
    offset: z.int().min(0),
    /** Documents that the hits link to are found too, at most so many. */
    links: z.int().min(1).optional(),
    /** Wait for a model that is being loaded; otherwise the question is searched by words until then. */
    patient: z.boolean(),
    /** Only the hits among the first candidates, which are the first of all hits. */
    quick: z.boolean().optional(),
  }),
  output: z.object({
    hits: z.array(hit),
    /** The question's phrases if no drawer contains all of them: the hits match its words instead. */
    absent: z.array(z.string()),
    /** What no hit contains: the words and texts that the question or the client excludes. */
    excluded: z.array(z.string()),
    /** Why only words were compared, if the ranking compares meanings. */
    trouble: z.object({ text: z.string(), hint: z.string().optional() }).optional(),
    /** Texts with a vector; absent where only words were compared. */
    coverage: coverage.optional(),
    /** The conditions with the project that `here` means. */
    filter: filter.extend({ projects: z.array(project).optional() }),
    /** Wings of the projects that were preferred. */
    preferred: z.array(z.string()),
    /** All places, if nothing was found: the filter may name another. */
    rooms: z.array(z.object({ wing: z.string(), room: z.string() })).optional(),
    /** The types that documents declare, if nothing was found of a type. */
    types: z.array(z.string()).optional(),
    related: z.array(z.object({ drawer, link: z.string(), from: z.string() })).optional(),
  }),
};
