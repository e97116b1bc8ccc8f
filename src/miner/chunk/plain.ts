import { extname } from 'node:path';
import { type Atom, atomsOf, type Border } from './atoms.js';
import { LINES, PROSE } from './borders.js';
import { type Line, linesOf } from './lines.js';
import { type HeadingOptions, headingTitle } from './markdown.js';

/** How to cut a document that is not Markdown: prose by sentences, everything else by lines. */
export type PlainStyle = 'text' | 'rst' | 'adoc' | 'yaml' | 'toml' | 'lines';

const STYLES: Record<string, PlainStyle> = {
  '.txt': 'text',
  '.text': 'text',
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

interface Heading {
  title: string;
  depth: number;
  border: Border;
  /** Lines of a heading that stands alone between blank lines; 0 when it cannot stand alone. */
  lines: number;
}

/**
 * Cuts a text into groups of lines between blank lines, and too long groups further. Keys and tables of YAML and TOML
 * are headings, but `onHeading` is not called with them.
 */
export function* plainAtoms(
  text: string,
  { style, note: noteUnder, onHeading }: HeadingOptions & { style: PlainStyle },
): Generator<Atom> {
  const levels = style === 'text' || style === 'rst' || style === 'adoc' ? PROSE : LINES;
  const adornments: string[] = [];
  const path: Heading[] = [];
  let note = noteUnder([]);
  for (const { start, end, first, lines } of groupsOf(text)) {
    const heading = headingIn(first, style, adornments);
    if (style === 'text') onHeading?.(underlinedTitle(first));
    if (heading) {
      while ((path.at(-1)?.depth ?? 0) >= heading.depth) path.pop();
      path.push(heading);
      note = noteUnder(path.map(({ title }) => title));
      if (style === 'rst' || style === 'adoc') onHeading?.(heading.title);
    }
    const border = heading?.border ?? 'block';
    yield* atomsOf(text, { start, end, border, heading: heading?.lines === lines, levels, note });
  }
}

interface Group {
  start: number;
  end: number;
  /** Its first non-blank lines, at most four. */
  first: string[];
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

/** @param adornments in rST, the underlines in the order in which they first appear, which is their rank */
function headingIn(lines: readonly string[], style: PlainStyle, adornments: string[]): Heading | undefined {
  if (style === 'rst') return underlined(lines, adornments);
  if (style === 'adoc') return equalsMarked(lines);
  if (style === 'yaml') return keyed(lines, /^["']?([^\s#"'-][^:"']*)["']?:(?:\s|$)/, 'block');
  return style === 'toml' ? keyed(lines, /^\[+([^\]]+)\]+/, 'subsection') : undefined;
}

function underlined(
  [first = '', second = '', third = '']: readonly string[],
  adornments: string[],
): Heading | undefined {
  const over = RST_ADORNMENT.test(first);
  if (over ? third !== first : !RST_ADORNMENT.test(second) || second.length < first.trim().length)
    return undefined;
  const adornment = over ? `over ${first.charAt(0)}` : second.charAt(0);
  if (!adornments.includes(adornment)) adornments.push(adornment);
  return headingAt(adornments.indexOf(adornment) + 1, over ? second : first, over ? 3 : 2);
}

/** An underlined line of prose: not a border for chunks, but a title. Empty when there is none. */
function underlinedTitle([first = '', second = '']: readonly string[]): string {
  return /^(?:={3,}|-{3,}|\*{3,}|~{3,})$/.test(second.trim()) ? first.trim() : '';
}

function equalsMarked([first = '']: readonly string[]): Heading | undefined {
  const depth = /^(={1,6})[ \t]+\S/.exec(first)?.[1]?.length;
  return depth === undefined ? undefined : headingAt(depth, first.slice(depth), 1);
}

function headingAt(depth: number, source: string, lines: number): Heading {
  return { title: headingTitle(source), depth, border: depth <= 2 ? 'section' : 'subsection', lines };
}

function keyed(lines: readonly string[], pattern: RegExp, border: Border): Heading | undefined {
  const title = lines.map((line) => pattern.exec(line)?.[1]).find(Boolean);
  return title === undefined ? undefined : { title: title.trim(), depth: 1, border, lines: 0 };
}
