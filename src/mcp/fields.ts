import { z } from 'zod';

/** Arguments that several tools have. Agents send numbers as texts, and empty texts for what they leave out. */
export const text = (description: string) =>
  z
    .string()
    .transform((value) => (value.trim() === '' ? undefined : value))
    .optional()
    .describe(description);

export const wing = text('only this wing');
export const room = text('only this room');

/** A whole number; what it may be is said in the schema. */
export const count = (least: number, most: number, otherwise: number, description?: string) => {
  const field = z.coerce.number().int().min(least).max(most).default(otherwise);
  return description === undefined ? field : field.describe(description);
};

export const flag = (description: string) => z.boolean().default(false).describe(description);

export const maxTokens = (otherwise: number) =>
  z.coerce.number().int().min(100).max(100_000).default(otherwise).describe('longest answer');
