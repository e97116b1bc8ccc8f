import { isMarkdown as hasMarkdown } from '../core/front-matter.js';
import { BAR } from '../core/outside.js';
import type { Drawer } from '../service/contract/index.js';
import type { Paint, StyleName } from './io.js';
import { linkToFile } from './link.js';
import { line, type Terminal } from './terminal.js';
import { shorten, shortenMiddle } from './width.js';

/** The output format: rows for a terminal of a width, or whole lines for a pipe. */
export interface View {
  width: number | undefined;
  paint: Paint;
  /** Whether small pictures of characters are shown. */
  draws?: boolean;
  /** Whether paths are links to their files. */
  links?: boolean;
  /** Under --quiet. */
  quiet?: boolean;
  /** Paths below it are shown with `~` at a terminal. */
  home: string;
}

export function viewOf({ width, style, draws, links, options: { quiet } }: Terminal, home: string): View {
  return { width, paint: style, draws, links, quiet, home };
}

/** Length of a shown id: long enough to be unique in one person's palace; commands accept it. */
const SHORT_ID = 'drawer_'.length + 12;

export function shownId(drawerId: string, { width }: Pick<View, 'width'>): string {
  return width === undefined ? drawerId : drawerId.slice(0, SHORT_ID);
}

export function titleOf(drawer: Pick<Drawer, 'title' | 'place' | 'drawerId'>): string {
  return line(drawer.title) || line(drawer.place) || drawer.drawerId;
}

export function linesOf(first: number, last: number): string {
  return first === last ? `line ${first}` : `lines ${first}–${last}`;
}

/** Columns for framed text after `indent` columns; undefined for whole lines. A narrower terminal wraps it. */
export function roomIn(width: number | undefined, indent = 0): number | undefined {
  return width === undefined ? undefined : Math.max(width - indent - BAR.length, 20);
}

/** Joins the parts of a line that are not empty: `wing / room  date`. */
export function joined(...parts: (string | null | undefined)[]): string {
  return parts.filter((part) => part !== null && part !== undefined && part !== '').join('  ');
}

/** Markdown may be rewrapped: its line breaks within prose have no meaning. */
export function isMarkdown({ kind, sourceFile }: Pick<Drawer, 'kind' | 'sourceFile'>): boolean {
  return kind === 'document' && hasMarkdown(sourceFile);
}

/**
 * Framed lines; long ones are cut. The texts have passed `line()`.
 *
 * @param indent columns before the frame
 */
export function framedLines(
  lines: readonly (readonly [style: StyleName | undefined, text: string])[],
  { width, paint }: Pick<View, 'width' | 'paint'>,
  indent = 0,
): string[] {
  const room = roomIn(width, indent);
  return lines
    .filter(([, text]) => text !== '')
    .map(([style, text]) => {
      const cut = room === undefined ? text : shorten(text, room);
      return ' '.repeat(indent) + BAR + (style === undefined ? cut : paint(style, cut));
    });
}

/** Framed lines that describe a drawer or a source. Its origin is shortened in the middle. */
export function framedPlace(
  { title, where, notes = '', origin }: { title: string; where: string; notes?: string; origin: string },
  view: View,
  indent = 0,
): string[] {
  const room = roomIn(view.width, indent);
  const { home, links = false, paint } = view;
  const short = origin.startsWith(`${home}/`) ? `~${origin.slice(home.length)}` : origin;
  const path = room === undefined ? line(origin) : shortenMiddle(line(short), room);
  const about = framedLines(
    [
      ['bold', title],
      ['cyan', where],
      [undefined, notes],
    ],
    view,
    indent,
  );
  if (path === '') return about;
  const shown = paint('dim', path);
  return [...about, ' '.repeat(indent) + BAR + (links ? linkToFile(origin, shown) : shown)];
}
