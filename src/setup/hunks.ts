/** A changed part of a text, in characters: `removed` was where `added` is now. */
export interface Hunk {
  /** Where `added` begins in the new text. */
  at: number;
  removed: string;
  added: string;
}

/** Changed lines: `removed` were where `added` are now. */
export interface LineHunk {
  /** Of the first added line, from 0. */
  at: number;
  removed: string[];
  added: string[];
}

/** Cells of the table of common lines; larger changes are one hunk. */
const MOST_CELLS = 4_000_000;

const linesOf = (text: string): string[] => (text === '' ? [] : text.split(/(?<=\n)/));

/** The changed lines between two texts, each with its line break. */
export function lineHunks(before: string, after: string): LineHunk[] {
  const [old, fresh] = [linesOf(before), linesOf(after)];
  let start = 0;
  while (start < Math.min(old.length, fresh.length) && old[start] === fresh[start]) start += 1;
  let end = 0;
  const most = Math.min(old.length, fresh.length) - start;
  while (end < most && old[old.length - 1 - end] === fresh[fresh.length - 1 - end]) end += 1;
  const [one, two] = [old.slice(start, old.length - end), fresh.slice(start, fresh.length - end)];
  if (one.length * two.length > MOST_CELLS) return [{ at: start, removed: one, added: two }];
  return walked(one, two, start);
}

/** Hunks along the longest common subsequence of lines. */
function walked(one: readonly string[], two: readonly string[], start: number): LineHunk[] {
  const width = two.length + 1;
  const common = new Uint32Array((one.length + 1) * width);
  const at = (row: number, column: number): number => common[row * width + column] ?? 0;
  for (let row = one.length - 1; row >= 0; row -= 1)
    for (let column = two.length - 1; column >= 0; column -= 1)
      common[row * width + column] =
        one[row] === two[column]
          ? at(row + 1, column + 1) + 1
          : Math.max(at(row + 1, column), at(row, column + 1));
  const hunks: LineHunk[] = [];
  let current: LineHunk | undefined;
  let [row, column] = [0, 0];
  while (row < one.length || column < two.length) {
    if (row < one.length && column < two.length && one[row] === two[column]) {
      [row, column, current] = [row + 1, column + 1, undefined];
      continue;
    }
    if (current === undefined) {
      current = { at: start + column, removed: [], added: [] };
      hunks.push(current);
    }
    const takes = column < two.length && (row === one.length || at(row, column + 1) > at(row + 1, column));
    if (takes) current.added.push(two[column++] ?? '');
    else current.removed.push(one[row++] ?? '');
  }
  return hunks;
}

/** The changed part between two texts: all but what is equal at both ends. */
export function hunkOf(before: string, after: string): Hunk {
  const most = Math.min(before.length, after.length);
  let at = 0;
  while (at < most && before[at] === after[at]) at += 1;
  let end = 0;
  while (end < most - at && before[before.length - 1 - end] === after[after.length - 1 - end]) end += 1;
  return { at, removed: before.slice(at, before.length - end), added: after.slice(at, after.length - end) };
}

/** The text before the changes. */
export const reversed = (after: string, hunks: readonly Hunk[]): string =>
  hunks.reduceRight(
    (text, { at, removed, added }) => text.slice(0, at) + removed + text.slice(at + added.length),
    after,
  );
