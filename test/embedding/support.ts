import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Tokenizer } from '@huggingface/tokenizers';
import { z } from 'zod';

/** Texts with the token ids and the vector of the original TensorFlow.js model. */
export const REFERENCE = z
  .array(z.object({ text: z.string(), ids: z.array(z.number()), embedding: z.array(z.number()) }))
  .length(39)
  .parse(JSON.parse(readFileSync(new URL('../fixtures/embed/reference.json', import.meta.url), 'utf8')));

/** The library's tokens of a whole text, of a model's files in a folder. */
export function wholeTokenizer(folder: string): (text: string) => number[] {
  const config = join(folder, 'tokenizer_config.json');
  const tokenizer = new Tokenizer(
    JSON.parse(readFileSync(join(folder, 'tokenizer.json'), 'utf8')),
    existsSync(config) ? JSON.parse(readFileSync(config, 'utf8')) : {},
  );
  return (text) => tokenizer.encode(text, { add_special_tokens: false }).ids;
}

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
