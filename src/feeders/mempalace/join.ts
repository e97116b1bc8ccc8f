/** A drawer's text in the text of its source, in UTF-16 units. */
export interface Joined {
  text: string;
  /** Where each piece begins, in their order. */
  starts: number[];
}

/** Their windows overlap by so many characters, unless somebody configured another number. */
const USUAL_OVERLAP = 100;
const MOST_OVERLAP = 2_000;
/** Fewer characters in common may be by chance. */
const LEAST_OVERLAP = 16;
/** The length of their slices, in code points. */
const SLICE = 800;
const GAP = '\n\n';

/**
 * One text of pieces in order, which holds each of them as it is. What the end of one and the beginning of the next have
 * in common stands once. Others
 * follow each other as they are, with an empty line between them, but for slices of one text (`sliced`): a piece that
 * is as long as their slices goes on in the next one.
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
    const goesOn = sliced && [...before].length === SLICE;
    if (index > 0 && overlap === 0 && !goesOn) add(GAP);
    starts.push(length - overlap);
    add(piece.slice(overlap));
    before = piece;
  }
  return { text: parts.join(''), starts };
}

/**
 * How many characters at the end of one text are those at the beginning of the next: of several answers (a text that
 * repeats itself) the most that are usual, else the fewest. By the failure function of Knuth, Morris and Pratt, so that
 * no text is slow.
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
