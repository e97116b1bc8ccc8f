/** A run of token ids of one text, short enough for the model. */
export interface Window {
  /** Index of the text in its call. */
  text: number;
  ids: readonly number[];
}

/**
 * Cuts a text's tokens into as few windows as possible, of equal length give or take one token: 228 tokens
 * and room for 128 make 114 + 114. A text without tokens is one empty window.
 */
export function balancedWindows(text: number, ids: readonly number[], room: number): Window[] {
  const count = Math.max(1, Math.ceil(ids.length / room));
  return Array.from({ length: count }, (_, index) => ({
    text,
    ids: ids.slice(Math.ceil((index * ids.length) / count), Math.ceil(((index + 1) * ids.length) / count)),
  }));
}

/**
 * Sorts windows by length, longest first, and packs them into batches of at most `budget` tokens, padding
 * included (a single window may exceed it). Sorting keeps padding, and longest first keeps memory, low.
 *
 * @returns each batch as indices into `lengths`
 */
export function packBatches(lengths: readonly number[], budget: number): number[][] {
  const order = lengths.map((length, index) => ({ length: Math.max(1, length), index }));
  order.sort((a, b) => b.length - a.length || a.index - b.index);
  const batches: number[][] = [];
  let batch: number[] = [];
  let width = 0;
  for (const { length, index } of order) {
    if (batch.length > 0 && (batch.length + 1) * width > budget) {
      batches.push(batch);
      batch = [];
    }
    if (batch.length === 0) width = length;
    batch.push(index);
  }
  if (batch.length > 0) batches.push(batch);
  return batches;
}
