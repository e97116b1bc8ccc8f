import type { StyleName } from './io.js';
import type { View } from './labels.js';
import { displayWidth, pad, shorten } from './width.js';

export interface Column {
  style?: StyleName;
  align?: 'left' | 'right';
  /** At most this share of the terminal's columns. */
  share?: number;
}

const GAP = '  ';

/**
 * Rows of a table: columns at a terminal, otherwise fields separated by tabs. The last column takes the remaining width.
 *
 * @param rows texts of one line each, without control characters
 */
export function renderTable(
  rows: readonly (readonly string[])[],
  columns: readonly Column[],
  { width, paint }: Pick<View, 'width' | 'paint'>,
): string[] {
  if (width === undefined) return rows.map((row) => row.join('\t'));
  const widths = columnWidths(rows, columns, width);
  const before = widths.slice(0, -1).reduce((sum, each) => sum + each + GAP.length, 0);
  const last = Math.max(0, Math.min(widths.at(-1) ?? 0, width - before));
  widths.splice(-1, 1, last);
  return rows.map((row) =>
    columns
      .map(({ style, align }, index) => {
        const room = widths[index] ?? 0;
        const text = room === 0 ? '' : shorten(row[index] ?? '', room);
        const fill = ' '.repeat(Math.max(0, room - displayWidth(text)));
        const end = index === columns.length - 1;
        const padded = align === 'right' ? fill + text : end ? text : pad(text, room);
        return style === undefined ? padded : paint(style, padded);
      })
      .join(GAP)
      .trimEnd(),
  );
}

/** Widths of the widest fields, limited to the columns' shares. */
export function columnWidths(
  rows: readonly (readonly string[])[],
  columns: readonly Column[],
  width: number,
): number[] {
  return columns.map(({ share }, index) => {
    const needed = Math.max(0, ...rows.map((row) => displayWidth(row[index] ?? '')));
    return share === undefined ? needed : Math.min(needed, Math.floor(width * share));
  });
}
