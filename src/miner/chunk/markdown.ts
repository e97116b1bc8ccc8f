import { type Atom, atomsOf, type Border } from './atoms.js';
import { type Block, blocksOf } from './blocks.js';
import { LINES, PROSE } from './borders.js';
import { CONTEXT_MAX, MAX, WHOLE_MAX } from './limits.js';
import { type Line, linesOf } from './lines.js';

export interface MarkdownOptions<Note> {
  /** Offset of `text` in the whole source text. */
  offset: number;
  /** True for a document: it may start with front matter, and its main headings start chunks. */
  document: boolean;
  /** The note for atoms under this heading path. */
  note: (headings: readonly string[]) => Note;
  /** Called with the source of every block that may contain a heading: Markdown's, and HTML. */
  onHeading?: (source: string, kind: 'heading' | 'html') => void;
}

/** Cuts Markdown into atoms: one per block, or more where a block is too long. */
export function* markdownAtoms<Note>(text: string, options: MarkdownOptions<Note>): Generator<Atom<Note>> {
  const path: { depth: number; title: string }[] = [];
  let note = options.note([]);
  const lines = linesOf(text);
  for (const block of blocksOf(text, lines, options.document)) {
    if (block.kind === 'heading') {
      while ((path.at(-1)?.depth ?? 0) >= block.depth) path.pop();
      const source = sliceOf(text, lines, block);
      const title = headingTitle(source);
      path.push({ depth: block.depth, title });
      options.onHeading?.(source, 'heading');
      note = options.note(path.map((heading) => heading.title));
    } else if (block.kind === 'html') {
      options.onHeading?.(sliceOf(text, lines, block), 'html');
    }
    yield* blockAtoms(text, lines, block, borderOf(block, options.document), options.offset, note);
  }
}

function* blockAtoms<Note>(
  text: string,
  lines: readonly Line[],
  block: Block,
  border: Border,
  offset: number,
  note: Note,
): Generator<Atom<Note>> {
  const start = lines[block.from]?.start ?? 0;
  const end = lines[block.to - 1]?.end ?? start;
  const { kind, inside } = block;
  if (inside.length > 0 && text.slice(start, end).trim().length > MAX) {
    for (const [index, inner] of inside.entries())
      yield* blockAtoms(text, lines, inner, index === 0 ? border : 'part', offset, note);
    return;
  }
  const prose = ['paragraph', 'quote', 'list', 'item', 'heading'].includes(kind);
  const whole = kind === 'fence' || kind === 'code' || kind === 'table' ? WHOLE_MAX : MAX;
  const levels = prose ? PROSE : kind === 'table' ? LINES.slice(2) : LINES;
  // Front matter stays with the text after it, like a heading.
  const heading = kind === 'heading' || kind === 'front matter';
  yield* atomsOf(text, { start, end, border, heading, levels, whole }, offset, note);
}

function borderOf(block: Block, document: boolean): Border {
  if (block.kind !== 'heading') return 'block';
  return document && block.depth <= 2 ? 'section' : 'subsection';
}

function sliceOf(text: string, lines: readonly Line[], block: Block): string {
  return text.slice(lines[block.from]?.start, lines[block.to - 1]?.end);
}

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
