import { z } from 'zod';
import { OMITTED } from '../core/omitted.js';
import { LONGEST_AGENT } from '../core/tidy-agent.js';
import { factRow } from '../knowledge/facts/index.js';

/** Longest name, path or id, UTF-16 units: they come back in answers. */
const LONGEST_NAME = 4_096;

/** Arguments of several tools. Agents send numbers as texts. */
export const text = (description: string, longest = LONGEST_NAME) =>
  z
    .string()
    .max(longest)
    .transform((value) => (OMITTED.test(value) ? undefined : value))
    .optional()
    .describe(description);

export const named = () => z.string().min(1).max(LONGEST_NAME);

export const filer = (description: string) => text(description, LONGEST_AGENT);

export const count = (least: number, most: number, otherwise: number, description?: string) => {
  const field = z.coerce.number().int().min(least).max(most).default(otherwise);
  return description === undefined ? field : field.describe(description);
};

export const flag = (description: string) => z.boolean().default(false).describe(description);

export const maxTokens = (otherwise: number) => count(100, 100_000, otherwise);

/** Fields of every fact in an answer. */
export const factSchema = z.looseObject({
  ...factRow.pick({ triple_id: true, subject: true, predicate: true, object: true }).shape,
  current: z.boolean(),
});
