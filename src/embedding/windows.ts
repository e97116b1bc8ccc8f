/** A run of token ids of one text, short enough for the model. */
export interface Window {
  /** Index of the text in its call. */
  text: number;
  ids: readonly number[];
}

/**
 * Cuts a text's tokens into as few windows as possible, of equal length or one token less: 228 tokens with room for
 * 128 make 114 + 114. A text without tokens is one empty window.
 */
export function balancedWindows(text: number, ids: readonly number[], room: number): Window[] {
  const count = Math.max(1, Math.ceil(ids.length / room));
  return Array.from({ length: count }, (_, index) => ({
    text,
    ids: ids.slice(Math.ceil((index * ids.length) / count), Math.ceil(((index + 1) * ids.length) / count)),
  }));
}

/**
 * Sorts windows by length and packs them into batches of at most `budget` tokens, padding included (a single window
 * may exceed it). Sorting reduces padding; the longest come first, which reduces memory.
 *
 * @returns each batch as indices into `lengths`
 */
export function packBatches(lengths: readonly number[], budget: number): number[][] {
  const lengthOf = (index = 0): number => Math.max(1, lengths[index] ?? 0);
  const order = [...lengths.keys()].sort((a, b) => lengthOf(b) - lengthOf(a));
  return packed(order, (batch) => (batch.length + 1) * lengthOf(batch[0]) <= budget);
}

/** Packs items into batches of at most `budget` in size and `most` in number (one item may exceed the budget). */
export function packSizes<T>(
  items: readonly T[],
  sizeOf: (item: T) => number,
  budget: number,
  most: number,
): T[][] {
  const sizeOfAll = (batch: readonly T[]): number => batch.reduce((sum, item) => sum + sizeOf(item), 0);
  return packed(items, (batch, item) => batch.length < most && sizeOfAll(batch) + sizeOf(item) <= budget);
}

function packed<T>(items: readonly T[], fits: (batch: readonly T[], item: T) => boolean): T[][] {
  const batches: T[][] = [];
  for (const item of items) {
    const batch = batches.at(-1);
    if (batch !== undefined && fits(batch, item)) batch.push(item);
    else batches.push([item]);
  }
  return batches;
}

/**
 * Cuts a text into pieces of at most `limit` UTF-8 bytes, at a space if the second half of a piece contains one, never
 * inside a character. The empty text is one piece.
 */
export function byteWindows(text: string, limit: number): string[] {
  const encoder = new TextEncoder();
  const bytes = new Uint8Array(limit);
  const pieces: string[] = [];
  for (let rest = text; ; ) {
    const { read: end } = encoder.encodeInto(rest, bytes);
    if (end === rest.length) return [...pieces, rest];
    const space = rest.lastIndexOf(' ', end);
    const cut = space > end / 2 ? space : end;
    pieces.push(rest.slice(0, cut));
    rest = rest.slice(cut).trimStart();
  }
}
