import { z } from 'zod';
import type { PriorityOrigin } from '../../core/contract.js';
import { coverage, drawer, filter, page, priority, source, warning, within } from './words.js';

const count = z.int().min(0);
const ORIGINS = ['user', 'approved-rule', 'rule', 'front-matter', 'manifest'] satisfies (
  | PriorityOrigin
  | 'user'
)[];

const total = { sources: count, drawers: count };
const rooms = z.array(z.object({ wing: z.string(), room: z.string(), ...total }));

/** A run of a program: times are epoch milliseconds. */
const run = z.object({
  id: z.int(),
  command: z.string(),
  startedMs: z.number(),
  endedMs: z.number().nullable(),
  /** Null when it did not end: killed, or still running. */
  exitCode: z.int().nullable(),
  running: z.boolean(),
  /** As its program recorded them. */
  counts: z.record(z.string(), z.unknown()),
  versions: z.record(z.string(), z.unknown()),
  /** The first skipped or failed sources. */
  skipped: z.array(z.unknown()),
});

/** Newest first. */
export const runs = {
  input: z.object({ ...page }),
  output: z.object({ runs: z.array(run) }),
};

export const status = {
  input: z.object({
    /** Runs at most, the last ones. */
    runs: count,
    /** Also those that only wrote a pin, a fact or a diary entry. */
    shortWrites: z.boolean(),
  }),
  output: z.object({
    bytes: count,
    model: z.object({ id: z.string(), revision: z.string(), dimension: z.int() }),
    coverage,
    /** Drawers that are found by the words of an earlier version until they are renewed; absent if there are none. */
    words: coverage.optional(),
    rooms,
    /** Per program the start of its last run, of the last one with exit code 0, and with 0 or 3. */
    feeders: z.array(
      z.object({
        command: z.string(),
        lastMs: z.number(),
        lastExitCode: z.int().nullable(),
        succeededMs: z.number().nullable(),
        doneMs: z.number().nullable(),
      }),
    ),
    runs: z.array(run),
    warnings: z.array(warning),
    /** Tasks that are not done; absent if there are none. */
    tasks: z.object({ open: count, taken: count }).optional(),
    /** Tokens that models used for summaries today (UTC). */
    summaryTokens: count,
  }),
};

/** Whether questions are compared by meaning now, and why not, if searches use the model. */
export const readiness = {
  input: z.object({}),
  output: z.object({ loaded: z.boolean(), reason: z.string().optional() }),
};

/** What changes when something is written, with the last runs, short writes too. Takes milliseconds. */
export const pulse = {
  input: z.object({}),
  output: z.object({
    sources: count,
    drawers: count,
    facts: count,
    currentFacts: count,
    runs: z.array(run.omit({ versions: true, skipped: true })),
  }),
};

/** Wings and rooms, each in the order of their names. */
export const places = {
  input: z.object({
    /** Only this one. */
    wing: z.string().optional(),
  }),
  output: z.object({ wings: z.array(z.object({ wing: z.string(), rooms: count, ...total })), rooms }),
};

/** Newest first. */
export const sources = {
  input: z.object({
    filter: filter.pick({ wing: true, room: true, type: true, priority: true }),
    ...page,
  }),
  output: z.object({
    sources: z.array(
      source.extend({
        /** Date of its newest content, else the day of its last change. */
        day: z.string(),
        /** ISO 8601, UTC. */
        filedAt: z.string(),
        priority,
        priorityFrom: z.enum(ORIGINS).nullable(),
        pinned: z.boolean(),
      }),
    ),
    total: count,
    /** Types that sources of the palace declare, if none was found and a type was asked for. */
    types: z.array(z.string()).optional(),
  }),
};

/** Numbers of sources by the day of their newest content and by wing, newest first. */
export const days = {
  input: z.object({
    /** Only this one. */
    wing: z.string().optional(),
    /** The first day, `YYYY-MM-DD`. */
    since: z.string().optional(),
  }),
  output: z.object({ days: z.array(z.object({ day: z.string(), wing: z.string(), ...total })) }),
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
    within,
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
    ...page,
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
    within,
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
