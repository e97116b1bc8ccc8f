import { type Atom, atomsOf, type Border, type ChunkNote } from './atoms.js';
import { type Block, blocksOf } from './blocks.js';
import { LINES, PROSE } from './borders.js';
import { CONTEXT_MAX, MAX, WHOLE_MAX } from './limits.js';
import { type Line, linesOf } from './lines.js';

export interface HeadingOptions {
  /** The note for atoms under this heading path. */
  note: (headings: readonly string[]) => ChunkNote;
  /** Called with the source of every heading. */
  onHeading?: (source: string) => void;
}

/**
 * Cuts Markdown into atoms: one per block, or more where a block is too long.
 *
 * @param document it may start with front matter, and its main headings start chunks
 */
export function* markdownAtoms(
  text: string,
  { document, note: noteUnder, onHeading }: HeadingOptions & { document: boolean },
): Generator<Atom> {
  const path: { depth: number; title: string }[] = [];
  let note = noteUnder([]);
  const lines = linesOf(text);
  for (const block of blocksOf(text, lines, document)) {
    const { kind, depth } = block;
    if (kind === 'heading') {
      while ((path.at(-1)?.depth ?? 0) >= depth) path.pop();
      const source = sliceOf(text, lines, block);
      path.push({ depth, title: headingTitle(source) });
      onHeading?.(source);
      note = noteUnder(path.map(({ title }) => title));
    } else if (kind === 'html' && onHeading !== undefined) {
      for (const [, , inside = ''] of sliceOf(text, lines, block).matchAll(HTML_HEADING))
        onHeading(inside.replace(/\s+/g, ' '));
    }
    const main = document && depth <= 2 ? 'section' : 'subsection';
    yield* blockAtoms(text, lines, block, kind === 'heading' ? main : 'block', note);
  }
}

function* blockAtoms(
  text: string,
  lines: readonly Line[],
  block: Block,
  border: Border,
  note: ChunkNote,
): Generator<Atom> {
  const start = lines[block.from]?.start ?? 0;
  const end = lines[block.to - 1]?.end ?? start;
  const { kind, inside } = block;
  if (inside.length > 0 && text.slice(start, end).trim().length > MAX) {
    for (const [index, inner] of inside.entries())
      yield* blockAtoms(text, lines, inner, index === 0 ? border : 'part', note);
    return;
  }
  const prose = ['paragraph', 'quote', 'list', 'item', 'heading'].includes(kind);
  const whole = kind === 'fence' || kind === 'code' || kind === 'table' ? WHOLE_MAX : MAX;
  const levels = prose ? PROSE : kind === 'table' ? LINES.slice(2) : LINES;
  // Front matter stays with the text after it, like a heading.
  const heading = kind === 'heading' || kind === 'front matter';
  yield* atomsOf(text, { start, end, border, heading, levels, whole, note });
}

function sliceOf(text: string, lines: readonly Line[], block: Block): string {
  return text.slice(lines[block.from]?.start, lines[block.to - 1]?.end);
}

const HTML_HEADING = /<h([1-6])\b[^>]*>([\s\S]*?)<\/h\1\s*>/gi;

/** A heading's text without `#`, underline, link targets and emphasis marks. */
export function headingTitle(source: string): string {
  return source
    .slice(0, 4 * CONTEXT_MAX)
    .trim()
    .replace(/^#{1,6}(?=\s|$)/, '')
    .replace(/(?:^|\s)#+$/, '')
    .replace(/[\r\n]+[ \t]*(?:=+|-+)$/, '')
    .replace(/!?\[([^\]]*)\]\([^)]*\)/g, '$1')
    .replace(/[*`]/g, '')
    .replace(/\s+/g, ' ')
    .trim();
}

const NO_TITLE = /^(?:table of contents|contents|toc|on this page)[:.]?$/i;
const LINKED_IMAGE = /\[!\[[^\]]*\](?:\([^)]*\)|\[[^\]]*\])\](?:\([^)]*\)|\[[^\]]*\])/g;
const IMAGE = /!\[[^\]]*\](?:\([^)]*\)|\[[^\]]*\])/g;
const REFERENCE_LINK = /\[([^\]]+)\]\[[^\]]*\]/g;
const MARKUP = /<!--[\s\S]*?-->|<\/?[a-z][^<>]*>/gi;
const ANCHOR = /\s*\{#[^{}]*\}\s*$/;
/** A YAML block whose first line is not `---` looks like a heading underlined with dashes. */
const KEYS = /^(?:[\w.-]+:(?:[ \t].*)?(?:\r?\n|$))+-+[ \t]*$/;
const ENTITIES: Record<string, string> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'", nbsp: ' ' };

/**
 * A document's title from a heading, without images and badges.
 *
 * @param source the heading's Markdown
 * @returns empty for a heading that is not a title: only badges, a table of contents, keys of a YAML block
 */
export function titleOfHeading(source: string): string {
  const beginning = source.slice(0, 4 * CONTEXT_MAX).trim();
  if (KEYS.test(beginning)) return '';
  const words = beginning
    .replace(LINKED_IMAGE, '')
    .replace(IMAGE, '')
    .replace(REFERENCE_LINK, '$1')
    .replace(MARKUP, '');
  const title = headingTitle(words)
    .replace(ANCHOR, '')
    .replace(/&(\w+);/g, (all, name) => ENTITIES[name] ?? all);
  return /[\p{L}\p{N}]/u.test(title) && !NO_TITLE.test(title) ? title : '';
}
