import type { Atom, Border } from './atoms.js';
import { GLUE_MAX, HALF, MAX, TARGET, TINY, WHOLE_MAX } from './limits.js';

/** A chunk as offsets into the whole source text, with the notes of its atoms. */
export interface Packed<Note> {
  start: number;
  end: number;
  contentStart: number;
  contentEnd: number;
  /** The note of its first atom that is not a heading, or of its last heading. */
  note: Note;
  /** Every note in it with the size of its atoms, in order. */
  shares: { note: Note; size: number }[];
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
export class Packer<Note> {
  private closed: Packed<Note> | undefined;
  private running: Packed<Note> | undefined;
  private onlyHeadings = false;
  private headings: Atom<Note>[] = [];

  constructor(private readonly emit: (chunk: Packed<Note>) => void) {}

  push(atom: Atom<Note>): void {
    if (atom.heading) {
      const first = this.headings[0] ?? atom;
      if (atom.contentEnd - first.contentStart > GLUE_MAX) this.releaseHeadings();
      if (atom.contentEnd - atom.contentStart > GLUE_MAX) this.place([atom]);
      else this.headings.push(atom);
      return;
    }
    const [first] = this.headings;
    // A heading stays with its text, unless the blank lines between them are longer than a chunk may be.
    if (first !== undefined && atom.contentEnd - first.contentStart > WHOLE_MAX + GLUE_MAX)
      this.releaseHeadings();
    const unit = [...this.headings, atom];
    this.headings = [];
    this.place(unit);
  }

  /** Closes all chunks: the next atom begins a new one. */
  finish(): void {
    this.releaseHeadings();
    this.close();
    this.flush();
  }

  private releaseHeadings(): void {
    if (this.headings.length === 0) return;
    const unit = this.headings;
    this.headings = [];
    this.place(unit);
  }

  private place(unit: Atom<Note>[]): void {
    const last = unit.at(-1);
    if (last === undefined) return;
    const blank = last.contentStart === last.end;
    if (this.running && !blank && this.closesBefore(this.running, unit, last)) this.close();
    for (const atom of unit) this.append(atom);
  }

  private closesBefore(running: Packed<Note>, unit: Atom<Note>[], last: Atom<Note>): boolean {
    const size = running.contentEnd - running.contentStart;
    if (size <= 0) return false;
    const together = last.contentEnd - running.contentStart;
    const whole = last.contentEnd - last.contentStart > MAX;
    const limit = whole && size < TINY ? WHOLE_MAX : size < HALF ? MAX : TARGET;
    if (together > limit) return true;
    const border = strongest(unit);
    if (border === 'section') return size >= TINY;
    if (border === 'subsection' || border === 'turn') return size >= HALF;
    return contentDefined(last, border, size);
  }

  private append(atom: Atom<Note>): void {
    const size = atom.contentEnd - atom.contentStart;
    const running = this.running;
    if (running === undefined) {
      this.running = {
        start: atom.start,
        end: atom.end,
        contentStart: atom.contentStart,
        contentEnd: atom.contentEnd,
        note: atom.note,
        shares: [{ note: atom.note, size: atom.heading ? 0 : size }],
        border: atom.border,
      };
      this.onlyHeadings = atom.heading;
      return;
    }
    if (running.contentStart === running.end) running.contentStart = atom.contentStart;
    running.end = atom.end;
    if (size > 0) running.contentEnd = atom.contentEnd;
    if (this.onlyHeadings) {
      running.note = atom.note;
      this.onlyHeadings = atom.heading;
    }
    const share = running.shares.at(-1);
    const counted = atom.heading ? 0 : size;
    if (share?.note === atom.note) share.size += counted;
    else running.shares.push({ note: atom.note, size: counted });
  }

  private close(): void {
    const chunk = this.running;
    if (chunk === undefined) return;
    this.running = undefined;
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

const STRENGTH: Border[] = ['section', 'subsection', 'turn', 'block', 'part', 'word'];

function strongest<Note>(unit: Atom<Note>[]): Border {
  let best = STRENGTH.length - 1;
  for (const atom of unit) best = Math.min(best, STRENGTH.indexOf(atom.border));
  return STRENGTH[best] ?? 'word';
}

/**
 * Whether there is a content-defined border here. Smaller atoms have fewer, so that chunks of all kinds of text have
 * about the same size. A few strong borders also close small chunks: otherwise, after an edit, the borders in a series
 * of equally large paragraphs might never return to the old ones.
 */
function contentDefined<Note>(next: Atom<Note>, border: Border, size: number): boolean {
  if (border === 'word') return size >= HALF && (next.hash & 63) === 0;
  if (border === 'part') return size >= HALF && (next.hash & 7) === 0;
  return size >= TINY && (next.hash & (size >= HALF ? 3 : 7)) === 0;
}
