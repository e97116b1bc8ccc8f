/** Parameters that several routes take. They are texts in an address: numbers are read from their digits. */
import { z } from 'zod';

/** Rows of an answer, at most. */
const MOST_ROWS = 1_000;

/** A whole number from `least` to `most`. */
export const whole = (least: number, most: number, description: string) =>
  z.coerce.number().int().min(least).max(most).describe(description);

/** Rows of an answer. @param usual the default */
export const limit = (usual: number) => whole(1, MOST_ROWS, 'rows at most').default(usual);
