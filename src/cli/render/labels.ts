import type { DrawerView } from '../../store/index.js';
import { line, type Paint } from '../terminal.js';
import { shortenMiddle } from './width.js';

/** What is written for: a terminal of so many columns, or whole lines for a pipe. */
export interface View {
  width: number | undefined;
  paint: Paint;
  /** Paths below it are shown with `~` at a terminal. */
  home: string;
}

/** Digits of an id that tell it from all others in a palace of one person; commands take such beginnings. */
const SHORT_ID = 'drawer_'.length + 12;

export function shownId(drawerId: string, { width }: View): string {
  return width === undefined ? drawerId : drawerId.slice(0, SHORT_ID);
}

export function titleOf(drawer: Pick<DrawerView, 'title' | 'place' | 'drawerId'>): string {
  return line(drawer.title) || line(drawer.place) || drawer.drawerId;
}

export function linesOf(first: number, last: number): string {
  return first === last ? `line ${first}` : `lines ${first}–${last}`;
}

/** A path or an origin, shortened in its middle to so many columns at a terminal. */
export function shownPath(path: string, columns: number, { width, home }: View): string {
  if (width === undefined) return line(path);
  const short = path.startsWith(`${home}/`) ? `~${path.slice(home.length)}` : path;
  return shortenMiddle(line(short), Math.max(columns, 8));
}

/** `wing / room  date` and the like, for the line below a title. */
export function joined(...parts: (string | null | undefined)[]): string {
  return parts.filter((part) => part !== null && part !== undefined && part !== '').join('  ');
}

/** Prose that was wrapped by hand is only wrapped anew where line breaks mean nothing. */
export function isMarkdown({ kind, sourceFile }: Pick<DrawerView, 'kind' | 'sourceFile'>): boolean {
  return kind === 'document' && /\.(?:md|markdown|mdx)$/i.test(sourceFile);
}
