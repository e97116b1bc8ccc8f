import { z } from 'zod';

/** Longest name, path or id, UTF-16 units: they come back in answers. */
const LONGEST_NAME = 4_096;
const LONGEST_AGENT = 128;

/** Arguments that several tools have. Agents send numbers as texts, and empty texts for what they leave out. */
export const text = (description: string, longest = LONGEST_NAME) =>
  z
    .string()
    .max(longest)
    .transform((value) => (value.trim() === '' ? undefined : value))
    .optional()
    .describe(description);

/** An id or a place that must be named. */
export const named = () => z.string().min(1).max(LONGEST_NAME);

/** Who files. */
export const filer = (description: string) => text(description, LONGEST_AGENT);

/** A name as it may be stored, also one that a client gives itself. */
export function tidyAgent(name: string): string {
  return name
    .replace(/[\p{Cc}\p{Cf}\p{Cs}]+/gu, ' ')
    .trim()
    .slice(0, LONGEST_AGENT)
    .trim();
}

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

export const MOMENT = 'YYYY-MM-DD or YYYY-MM-DDTHH:MM:SSZ';

/** The subject or the object of a fact. */
export const factName = (description: string) => z.string().min(1).max(500).describe(description);

/** A score as agents get it. */
export function round(value: number): number {
  return Math.round(value * 1000) / 1000;
}

/** What was redacted from a text, by kind; nothing where nothing was. */
export const redactions = (redacted: Record<string, number>) =>
  Object.keys(redacted).length === 0 ? {} : { redacted };
