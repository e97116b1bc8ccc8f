import { extname } from 'node:path';
import { type Atom, atomsOf, type Border } from './atoms.js';
import { LINES, PROSE } from './borders.js';
import { type Line, linesOf } from './lines.js';
import { headingTitle } from './markdown.js';

/** How to cut a document that is not Markdown: prose by sentences, everything else by lines. */
export type PlainStyle = 'text' | 'rst' | 'adoc' | 'yaml' | 'toml' | 'lines';

const STYLES: Record<string, PlainStyle> = {
  '.txt': 'text',
  '.rst': 'rst',
  '.adoc': 'adoc',
  '.asciidoc': 'adoc',
  '.yml': 'yaml',
  '.yaml': 'yaml',
  '.toml': 'toml',
};
/** Folders of prose without extension, as in `feeders/docs`. */
const TEXT_FOLDERS =
  /(?:^|\/)(?:changelogs?|changes|news|changelog\.d|changes\.d|news\.d|newsfragments?|release[-_]?notes|unreleased)\/(?:.*\/)?[^./]+$/i;
const TEXT_NAMES = /^(?:readme|license|licence|copying|notice|authors|changelog|changes|contributing)\b/i;

export function plainStyle(name: string): PlainStyle {
  const base = name.slice(name.lastIndexOf('/') + 1);
  return (
    STYLES[extname(base).toLowerCase()] ??
    (TEXT_NAMES.test(base) || TEXT_FOLDERS.test(name) ? 'text' : 'lines')
  );
}

export interface PlainOptions<Note> {
  offset: number;
  style: PlainStyle;
  note: (headings: readonly string[]) => Note;
  /** Called with every heading; keys and tables of YAML and TOML do not count. */
  onHeading?: (title: string) => void;
}

interface Heading {
  title: string;
  depth: number;
  border: Border;
  /** Lines of a heading that stands alone between blank lines; 0 when it cannot stand alone. */
  lines: number;
}

/** Cuts a text into groups of lines between blank lines, and too long groups further. */
export function* plainAtoms<Note>(text: string, options: PlainOptions<Note>): Generator<Atom<Note>> {
  const { style, offset } = options;
  const levels = style === 'text' || style === 'rst' || style === 'adoc' ? PROSE : LINES;
  const headings = new HeadingFinder(style);
  const path: Heading[] = [];
  let note = options.note([]);
  for (const { start, end, first, lines } of groupsOf(text)) {
    const heading = headings.find(first);
    if (style === 'text') options.onHeading?.(underlinedTitle(first));
    if (heading) {
      while ((path.at(-1)?.depth ?? 0) >= heading.depth) path.pop();
      path.push(heading);
      note = options.note(path.map(({ title }) => title));
      if (style === 'rst' || style === 'adoc') options.onHeading?.(heading.title);
    }
    const border = heading?.border ?? 'block';
    yield* atomsOf(text, { start, end, border, heading: heading?.lines === lines, levels }, offset, note);
  }
}

interface Group {
  start: number;
  end: number;
  /** Its first non-blank lines, at most four. */
  first: string[];
  /** Number of its non-blank lines. */
  lines: number;
}

/** Runs of lines, each with the blank lines after it; blank lines at the start join the first. */
function* groupsOf(text: string): Generator<Group> {
  let group: Group | undefined;
  let blank = false;
  for (const line of linesOf(text)) {
    const content = contentOf(text, line);
    if (content === '') {
      blank = group !== undefined && group.first.length > 0;
    } else if (blank && group) {
      yield group;
      group = undefined;
      blank = false;
    }
    group ??= { start: line.start, end: line.end, first: [], lines: 0 };
    group.end = line.end;
    if (content === '') continue;
    group.lines++;
    if (group.first.length < 4) group.first.push(content);
  }
  if (group) yield group;
}

const LONGEST_HEADING = 300;

/** The beginning of a line, enough to recognise a heading; empty when the line is blank. */
function contentOf(text: string, line: Line): string {
  const beginning = text.slice(line.start, Math.min(line.end, line.start + LONGEST_HEADING)).trimEnd();
  return beginning === '' ? text.slice(line.start, line.end).trim().slice(0, 1) : beginning;
}

const RST_ADORNMENT = /^([!-/:-@[-`{-~])\1{2,}$/;

/** Finds headings. In rST, the order in which underlines first appear is their rank. */
class HeadingFinder {
  private readonly adornments: string[] = [];

  constructor(private readonly style: PlainStyle) {}

  find(lines: readonly string[]): Heading | undefined {
    switch (this.style) {
      case 'rst':
        return this.underlined(lines);
      case 'adoc':
        return equalsMarked(lines);
      case 'yaml':
        return keyed(lines, /^["']?([^\s#"'-][^:"']*)["']?:(?:\s|$)/, 'block');
      case 'toml':
        return keyed(lines, /^\[+([^\]]+)\]+/, 'subsection');
      default:
        return undefined;
    }
  }

  private underlined([first = '', second = '', third = '']: readonly string[]): Heading | undefined {
    const mark = first.charAt(0);
    if (RST_ADORNMENT.test(first))
      return third === first ? this.ranked(second, `over ${mark}`, 3) : undefined;
    if (!RST_ADORNMENT.test(second) || second.length < first.trim().length) return undefined;
    return this.ranked(first, second.charAt(0), 2);
  }

  private ranked(title: string, adornment: string, lines: number): Heading {
    if (!this.adornments.includes(adornment)) this.adornments.push(adornment);
    const depth = this.adornments.indexOf(adornment) + 1;
    return { title: headingTitle(title), depth, border: borderOf(depth), lines };
  }
}

/** An underlined line of prose: not a border for chunks, but a title. Empty when there is none. */
function underlinedTitle([first = '', second = '']: readonly string[]): string {
  return /^(?:={3,}|-{3,}|\*{3,}|~{3,})$/.test(second.trim()) ? first.trim() : '';
}

function equalsMarked([first = '']: readonly string[]): Heading | undefined {
  const depth = /^(={1,6})[ \t]+\S/.exec(first)?.[1]?.length;
  if (depth === undefined) return undefined;
  return { title: headingTitle(first.slice(depth)), depth, border: borderOf(depth), lines: 1 };
}

function keyed(lines: readonly string[], pattern: RegExp, border: Border): Heading | undefined {
  for (const line of lines) {
    const title = pattern.exec(line)?.[1];
    if (title !== undefined) return { title: title.trim(), depth: 1, border, lines: 0 };
  }
  return undefined;
}

function borderOf(depth: number): Border {
  return depth <= 2 ? 'section' : 'subsection';
}
