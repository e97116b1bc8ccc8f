import { readFileSync } from 'node:fs';
import { z } from 'zod';

/** Texts with the token ids and the vector of the original TensorFlow.js model. */
export const REFERENCE = z
  .array(z.object({ text: z.string(), ids: z.array(z.number()), embedding: z.array(z.number()) }))
  .length(39)
  .parse(JSON.parse(readFileSync(new URL('../fixtures/embed/reference.json', import.meta.url), 'utf8')));

export function cosine(a: ArrayLike<number> | undefined, b: ArrayLike<number> | undefined): number {
  if (a === undefined || b === undefined || a.length !== b.length) return Number.NaN;
  let [dot, aa, bb] = [0, 0, 0];
  for (let i = 0; i < a.length; i++) {
    const [x, y] = [a[i] ?? 0, b[i] ?? 0];
    dot += x * y;
    aa += x * x;
    bb += y * y;
  }
  return dot / Math.sqrt(aa * bb);
}
