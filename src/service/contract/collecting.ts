import { z } from 'zod';
import { find } from './finding.js';
import { drawer, without } from './words.js';

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
