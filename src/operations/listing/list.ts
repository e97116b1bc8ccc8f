/** Lists: a page of rows, as a document and as a table. */
import * as z from 'zod/mini';
import { NOTICE } from '../../core/outside.js';
import { type Column, renderTable } from '../../terminal/table.js';
import type { Terminal } from '../../terminal/terminal.js';
import { shorten } from '../../terminal/width.js';
import { count, field, MOST_ROWS } from '../fields.js';

export const held = { sources: count, drawers: count };
/** Rows of a page, if nobody says how many. */
export const ROWS = 20;
export const NUMBER: Column = { align: 'right' };

const rows = () => z.int().check(z.minimum(1));
const ALL = 'rows to show (default: all)';

/** Which rows; without a limit all that follow. @param atTerminal how many a terminal shows then */
export const openPage = (atTerminal?: number) => ({
  limit: field(z.optional(rows()), atTerminal === undefined ? ALL : 'rows to show', {
    ...{ most: MOST_ROWS, tool: null, atTerminal },
  }),
  offset: field(z._default(count, 0), 'rows to skip', { tool: null }),
});

/** Which rows. */
export const page = () => ({
  ...openPage(),
  limit: field(z._default(rows(), ROWS), 'rows to show', { most: MOST_ROWS, tool: null }),
});

/** What a list says before its rows. A total of null: they are not counted. */
export const head = <What extends string>(what: What) => ({
  list: z.literal(what),
  total: z.nullable(count),
  offset: count,
  limit: z.nullable(rows()),
});

/** A page of rows that are all there, and what is said before them. */
export function among<What extends string, Row>(
  list: What,
  all: readonly Row[],
  { limit, offset }: { limit?: number | undefined; offset: number },
) {
  return {
    head: { list, total: all.length, offset, limit: limit ?? null },
    rows: all.slice(offset, limit === undefined ? undefined : offset + limit),
  };
}

/** Whether a list is empty because nothing is there, not for its page. */
export const isEmpty = ({ total }: { total: number | null }): boolean => total === 0;

export interface Table {
  columns: Column[];
  rows: string[][];
  /** A line below each row. */
  below?: string[];
}

/** Prints a page, and how to see what follows it. */
export function printList(
  { list: what, total, offset }: { list: string; total: number | null; offset: number },
  { columns, rows, below }: Table,
  terminal: Terminal,
): void {
  if (terminal.options.json) return;
  const { width, style } = terminal;
  if (what !== 'runs' && rows.length > 0) terminal.note(`${what} (${NOTICE})`);
  for (const [index, row] of renderTable(rows, columns, { width, paint: style }).entries()) {
    terminal.data(row);
    if (below !== undefined)
      terminal.data(style('dim', `  ${shorten(below[index] ?? '', (width ?? 0) - 2)}`));
  }
  const shown = offset + rows.length;
  if (rows.length === 0) terminal.note(offset > 0 ? `no ${what} from ${offset + 1} on` : `no ${what}`);
  else if (total !== null && shown < total)
    terminal.note(`${offset + 1}–${shown} of ${total}; --offset ${shown} shows more`);
}

/** The column for a bar per row, where the terminal shows one. */
export const pictured = ({ draws }: Terminal): Column[] => (draws ? [{ style: 'cyan' }] : []);

/** The sums of sources and drawers. */
export function totalOf(counts: readonly { sources: number; drawers: number }[]) {
  return {
    sources: counts.reduce((sum, { sources }) => sum + sources, 0),
    drawers: counts.reduce((sum, { drawers }) => sum + drawers, 0),
  };
}
