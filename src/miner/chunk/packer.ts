import type { Atom, Border, ChunkNote } from './atoms.js';
import { GLUE_MAX, HALF, MAX, TARGET, TINY, WHOLE_MAX } from './limits.js';

/** A chunk as offsets, with the notes of its atoms. */
export interface Packed {
  start: number;
  end: number;
  contentStart: number;
  contentEnd: number;
  /** The note of its first atom that is not a heading, or of its last heading. */
  note: ChunkNote;
  /** The note and the size of every atom, in order; a heading counts as empty. */
  shares: { note: ChunkNote; size: number }[];
  /** The border before its first atom. */
  border: Border;
}

/**
 * Packs a stream of touching atoms greedily into chunks, which partition the text pushed between two calls of `finish`.
 * Memory is bounded: it keeps one closed chunk (which a tiny one may still join), the running one, and headings that
 * wait for the next atom.
 *
 * A border may also be content-defined (by a hash of the next atom): after an edit the old borders return within a few
 * chunks, so that an edit changes few chunks.
 */
export class Packer {
  private closed: Packed | undefined;
  private running: Packed | undefined;
  private onlyHeadings = true;
  private headings: Atom[] = [];

  constructor(private readonly emit: (chunk: Packed) => void) {}

  push(atom: Atom): void {
    const [first = atom] = this.headings;
    // A heading stays with its text, unless the blank lines between them are longer than a chunk may be.
    const most = atom.heading ? GLUE_MAX : WHOLE_MAX + GLUE_MAX;
    if (atom.contentEnd - first.contentStart > most) this.place();
    if (atom.heading && atom.contentEnd - atom.contentStart <= GLUE_MAX) this.headings.push(atom);
    else this.place(atom);
  }

  finish(): void {
    this.place();
    this.close();
    this.flush();
  }

  private place(...atoms: Atom[]): void {
    const unit = [...this.headings, ...atoms];
    this.headings = [];
    const last = unit.at(-1);
    if (last === undefined) return;
    const blank = last.contentStart === last.end;
    if (this.running && !blank && closesBefore(this.running, unit, last)) this.close();
    for (const atom of unit) this.append(atom);
  }

  private append(atom: Atom): void {
    const size = atom.contentEnd - atom.contentStart;
    this.running ??= { ...atom, shares: [] };
    const { running } = this;
    if (running.contentStart === running.end) running.contentStart = atom.contentStart;
    running.end = atom.end;
    if (size > 0) running.contentEnd = atom.contentEnd;
    if (this.onlyHeadings) running.note = atom.note;
    this.onlyHeadings &&= atom.heading;
    running.shares.push({ note: atom.note, size: atom.heading ? 0 : size });
  }

  private close(): void {
    const chunk = this.running;
    if (chunk === undefined) return;
    this.running = undefined;
    this.onlyHeadings = true;
    const before = this.closed;
    const tiny = chunk.contentEnd - chunk.contentStart < TINY && chunk.border !== 'section';
    if (before && tiny && chunk.contentEnd - before.contentStart <= MAX) {
      before.end = chunk.end;
      before.contentEnd = chunk.contentEnd;
      before.shares.push(...chunk.shares);
      return;
    }
    this.flush();
    this.closed = chunk;
  }

  private flush(): void {
    if (this.closed) this.emit(this.closed);
    this.closed = undefined;
  }
}

const STRENGTH: readonly Border[] = ['section', 'subsection', 'turn', 'block', 'part'];

function closesBefore(running: Packed, unit: readonly Atom[], last: Atom): boolean {
  const size = running.contentEnd - running.contentStart;
  if (size <= 0) return false;
  const together = last.contentEnd - running.contentStart;
  const whole = last.contentEnd - last.contentStart > MAX;
  const limit = whole && size < TINY ? WHOLE_MAX : size < HALF ? MAX : TARGET;
  if (together > limit) return true;
  const border = STRENGTH.find((each) => unit.some((atom) => atom.border === each)) ?? 'word';
  if (border === 'section') return size >= TINY;
  if (border === 'subsection' || border === 'turn') return size >= HALF;
  return contentDefined(last, border, size);
}

/**
 * Whether there is a content-defined border here. Smaller atoms have fewer, so that chunks of all kinds of text have
 * about the same size. A few strong borders also close small chunks: otherwise, after an edit, the borders in a series
 * of equally large paragraphs might never return to the old ones.
 */
function contentDefined(next: Atom, border: Border, size: number): boolean {
  if (border === 'word') return size >= HALF && (next.hash & 63) === 0;
  if (border === 'part') return size >= HALF && (next.hash & 7) === 0;
  return size >= TINY && (next.hash & (size >= HALF ? 3 : 7)) === 0;
}
