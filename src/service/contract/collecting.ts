import { z } from 'zod';
import { drawerFilter } from '../../core/drawer-filter.js';
import { find } from './finding.js';
import { drawer, without } from './words.js';

const count = z.int().min(0);

/** A stored search, with the numbers of drawers that were added to it and excluded from it. */
const collection = z.object({
  name: z.string(),
  /** Null: the newest drawers that the filter allows; none without a filter. */
  question: z.string().nullable(),
  filter: drawerFilter,
  /** Drawers that the search finds, at most. */
  limit: count,
  minScore: z.number(),
  added: count,
  excluded: count,
  /** ISO 8601, UTC. */
  madeAt: z.string(),
});

/** By name. */
export const collections = {
  input: z.object({}),
  output: z.object({ collections: z.array(collection) }),
};

/** Makes a collection or changes it; what is absent stays. @throws UserError `usage`, `not-found` */
export const changeCollection = {
  input: z.object({
    name: z.string(),
    /** Null removes it. */
    question: z.string().nullable().optional(),
    /** Replaces all former conditions. */
    filter: drawerFilter.optional(),
    limit: z.int().min(1).optional(),
    minScore: z.number().optional(),
    /** Ids of drawers that belong to it whatever its search finds, … */
    add: z.array(z.string()).optional(),
    /** … that never do, … */
    exclude: z.array(z.string()).optional(),
    /** … and that are neither added nor excluded any more. */
    release: z.array(z.string()).optional(),
  }),
  output: z.object({
    collection,
    created: z.boolean(),
    /** Redactions by kind. */
    redacted: z.record(z.string(), count),
  }),
};

/** Deletes a collection; its drawers stay. @throws UserError `not-found` */
export const dropCollection = {
  input: z.object({ name: z.string() }),
  output: z.object({ name: z.string() }),
};

const which = {
  name: z.string(),
  /** Cold places, which its search omits unless its filter names them. */
  without,
  /** Wait for a model that is being loaded; otherwise words alone are compared until then. */
  patient: z.boolean(),
};

/** What belongs to a collection now: added drawers, then those that its search finds, best first. @throws UserError `not-found` */
export const collectionDrawers = {
  input: z.object(which),
  output: z.object({
    collection,
    drawers: z.array(
      z.object({
        drawer,
        isAdded: z.boolean(),
        /** Null for a drawer that the search did not find, and without a question. */
        score: z.number().nullable(),
      }),
    ),
    trouble: find.output.shape.trouble,
  }),
};

/** Searches what belongs to a collection now. @throws UserError `not-found` */
export const findInCollection = {
  input: z.object({
    ...which,
    ...find.input.pick({
      question: true,
      excluded: true,
      localTime: true,
      ranking: true,
      weights: true,
      halfLifeDays: true,
      by: true,
      minScore: true,
      limit: true,
      offset: true,
    }).shape,
  }),
  output: find.output,
};
