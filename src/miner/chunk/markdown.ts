import { type Atom, atomsOf, type Border } from './atoms.js';
import { type Block, blocksOf, insideOf } from './blocks.js';
import { LINES, PROSE } from './borders.js';
import { CONTEXT_MAX, MAX, WHOLE_MAX } from './limits.js';
import { type Line, linesOf } from './lines.js';

/** Deeper containers are cut like running text. */
const DEEPEST = 16;

export interface MarkdownOptions<Note> {
  /** Where `text` starts in the whole source text. */
  offset: number;
  /** True for a document, which may start with front matter and whose main headings start chunks. */
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
    yield* blockAtoms(text, lines, block, borderOf(block, options.document), options.offset, note, 0);
  }
}

function* blockAtoms<Note>(
  text: string,
  lines: readonly Line[],
  block: Block,
  border: Border,
  offset: number,
  note: Note,
  level: number,
): Generator<Atom<Note>> {
  const start = lines[block.from]?.start ?? 0;
  const end = lines[block.to - 1]?.end ?? start;
  const { kind } = block;
  if (
    (kind === 'list' || kind === 'quote') &&
    text.slice(start, end).trim().length > MAX &&
    level < DEEPEST
  ) {
    yield* containerAtoms(text, lines.slice(block.from, block.to), kind, border, offset, note, level);
    return;
  }
  const prose = kind === 'paragraph' || kind === 'quote' || kind === 'list' || kind === 'heading';
  const whole = kind === 'fence' || kind === 'code' || kind === 'table' ? WHOLE_MAX : MAX;
  const levels = prose ? PROSE : kind === 'table' ? LINES.slice(2) : LINES;
  // Front matter waits for what it is about, like a heading.
  const heading = kind === 'heading' || kind === 'front matter';
  yield* atomsOf(text, { start, end, border, heading, levels, whole }, offset, note);
}

function* containerAtoms<Note>(
  text: string,
  lines: readonly Line[],
  kind: 'list' | 'quote',
  border: Border,
  offset: number,
  note: Note,
  level: number,
): Generator<Atom<Note>> {
  let next = border;
  for (const inner of insideOf(text, kind, lines)) {
    const start = inner[0]?.start ?? 0;
    const end = inner.at(-1)?.end ?? start;
    if (text.slice(start, end).trim().length <= MAX) {
      yield* atomsOf(text, { start, end, border: next, heading: false, levels: PROSE }, offset, note);
      next = 'part';
      continue;
    }
    for (const block of blocksOf(text, inner)) {
      yield* blockAtoms(text, inner, block, next, offset, note, level + 1);
      next = 'part';
    }
  }
}

function borderOf(block: Block, document: boolean): Border {
  if (block.kind !== 'heading') return 'block';
  return document && block.depth <= 2 ? 'section' : 'subsection';
}

function sliceOf(text: string, lines: readonly Line[], block: Block): string {
  return text.slice(lines[block.from]?.start, lines[block.to - 1]?.end);
}

/** The words of a heading's source: without `#`, underline, link targets and emphasis marks. */
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
