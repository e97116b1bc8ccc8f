export interface Joined {
  text: string;
  /** Where each piece begins, in UTF-16 units. */
  starts: number[];
}

/** MemPalace's default overlap of adjacent drawers, in characters. */
const USUAL_OVERLAP = 100;
const MOST_OVERLAP = 2_000;
/** Fewer common characters may be a coincidence. */
const LEAST_OVERLAP = 16;
/** Of MemPalace's slices, in code points. */
const SLICE = 800;
const GAP = '\n\n';

/**
 * Joins pieces into one text that contains each of them unchanged. Text that is both at the end of one and at the
 * beginning of the next is included once. Pieces without such an overlap are separated by an empty line. With `sliced`,
 * the next piece follows directly after one of the slices' length.
 */
export function joinPieces(pieces: readonly string[], sliced: boolean): Joined {
  const parts: string[] = [];
  const starts: number[] = [];
  let length = 0;
  let before = '';
  const add = (text: string): void => {
    parts.push(text);
    length += text.length;
  };
  for (const [index, piece] of pieces.entries()) {
    const overlap = index === 0 ? 0 : overlapOf(before, piece);
    const continues = sliced && [...before].length === SLICE;
    if (index > 0 && overlap === 0 && !continues) add(GAP);
    starts.push(length - overlap);
    add(piece.slice(overlap));
    before = piece;
  }
  return { text: parts.join(''), starts };
}

/**
 * How many characters at the end of one text are also the beginning of the next. Repetitive text has several answers:
 * the result is the largest of usual size, else the smallest. The failure function of Knuth, Morris and Pratt makes it
 * linear.
 */
export function overlapOf(before: string, next: string): number {
  const head = next.slice(0, MOST_OVERLAP);
  const tail = before.slice(-MOST_OVERLAP);
  const fallback = new Int32Array(head.length);
  for (let at = 1, length = 0; at < head.length; at += 1) {
    while (length > 0 && head[at] !== head[length]) length = fallback[length - 1] ?? 0;
    if (head[at] === head[length]) length += 1;
    fallback[at] = length;
  }
  let matched = 0;
  for (const character of tail.split('')) {
    if (matched === head.length) matched = fallback[matched - 1] ?? 0;
    while (matched > 0 && character !== head[matched]) matched = fallback[matched - 1] ?? 0;
    if (character === head[matched]) matched += 1;
  }
  let shorter = matched;
  while (shorter > USUAL_OVERLAP) {
    shorter = fallback[shorter - 1] ?? 0;
    if (shorter >= LEAST_OVERLAP) matched = shorter;
  }
  return matched >= LEAST_OVERLAP ? matched : 0;
}
