import { z } from 'zod';
import { coverage, drawer, filter, warning } from './words.js';

const count = z.int().min(0);

export const status = {
  input: z.object({
    /** Runs at most, the last ones. */
    runs: count,
  }),
  output: z.object({
    drawers: count,
    model: z.object({
      id: z.string(),
      loaded: z.boolean(),
      /** Why it is not, if searches use it. */
      reason: z.string().optional(),
    }),
    coverage,
    runs: z.array(z.object({ command: z.string(), startedMs: z.number(), exitCode: z.int().nullable() })),
    warnings: z.array(warning),
  }),
};

/** Wings and rooms, each in the order of their names. */
export const places = {
  input: z.object({}),
  output: z.object({
    wings: z.array(z.object({ wing: z.string(), rooms: count, sources: count, drawers: count })),
    rooms: z.array(z.object({ wing: z.string(), room: z.string(), sources: count, drawers: count })),
  }),
};

/** The places with the day of their newest content, each in the order of their names. */
export const roomMap = {
  input: z.object({
    /** Only this one. */
    wing: z.string().optional(),
  }),
  output: z.object({
    rooms: z.array(
      z.object({
        wing: z.string(),
        room: z.string(),
        sources: count,
        drawers: count,
        /** `YYYY-MM-DD`. */
        lastDay: z.string(),
      }),
    ),
  }),
};

/** Opens the palace again, which may have been replaced. */
export const reopen = {
  input: z.object({}),
  output: z.object({ drawers: count }),
};

export const oneDrawer = {
  input: z.object({
    /** Its id or the beginning of it, or its id before an import. */
    id: z.string(),
  }),
  output: z.object({
    drawer,
    /** The whole text of its source, if it was written by `fileTexts`. */
    content: z.string().optional(),
    /** The drawers of that source, if there are several. */
    ids: z.array(z.string()).optional(),
  }),
};

/** Newest first. */
export const drawers = {
  input: z.object({
    filter: filter.pick({ wing: true, room: true, since: true, until: true, type: true, priority: true }),
    limit: z.int().min(1),
    offset: count,
  }),
  output: z.object({
    drawers: z.array(
      drawer.pick({ drawerId: true, wing: true, room: true, sourceFile: true, day: true, text: true }),
    ),
    total: count,
  }),
};

/** Drawers that are like a text. The same text, white space aside, has the similarity 1. Waits for the model. */
export const similar = {
  input: z.object({
    texts: z.array(z.string()),
    /** From 0 to 1. */
    threshold: z.number(),
    /** Per text. */
    limit: z.int().min(1),
  }),
  /** Per text, the most similar first. */
  output: z.object({
    matches: z.array(
      z.array(
        drawer
          .pick({ drawerId: true, title: true, sourceFile: true, wing: true, room: true, text: true })
          .extend({ similarity: z.number() }),
      ),
    ),
  }),
};
