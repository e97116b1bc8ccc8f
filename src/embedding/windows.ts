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

/**
 * Cuts a text into pieces of at most `limit` UTF-8 bytes, at a space where there is one in the second half of
 * a piece, never inside a character. The empty text is one piece.
 */
export function byteWindows(text: string, limit: number): string[] {
  const pieces: string[] = [];
  let rest = text;
  while (Buffer.byteLength(rest) > limit) {
    let end = 0;
    for (let bytes = 0; ; ) {
      const code = rest.codePointAt(end) ?? 0;
      bytes += code < 0x80 ? 1 : code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;
      if (bytes > limit) break;
      end += code < 0x10000 ? 1 : 2;
    }
    const space = rest.lastIndexOf(' ', end);
    const cut = space > end / 2 ? space : end;
    pieces.push(rest.slice(0, cut));
    rest = rest.slice(cut).trimStart();
  }
  return [...pieces, rest];
}

/** Packs items into batches of at most `budget` in size and `most` in number (one item may exceed the budget). */
export function packSizes<T>(
  items: readonly T[],
  sizeOf: (item: T) => number,
  budget: number,
  most: number,
): T[][] {
  const batches: T[][] = [];
  let size = 0;
  for (const item of items) {
    const batch = batches.at(-1);
    const own = sizeOf(item);
    if (batch === undefined || batch.length === most || size + own > budget) {
      batches.push([item]);
      size = own;
    } else {
      batch.push(item);
      size += own;
    }
  }
  return batches;
}
