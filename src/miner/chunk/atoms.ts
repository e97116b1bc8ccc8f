import { cutsAt, isSpace, type Level } from './borders.js';
import { MAX } from './limits.js';

/** The kind of border before an atom; stronger ones close a chunk earlier. */
export type Border = 'section' | 'subsection' | 'turn' | 'block' | 'part' | 'word';

/** A stretch of text that is never cut. Consecutive atoms touch: each ends where the next starts. */
export interface Atom<Note> {
  /** Offsets into the whole source text. */
  start: number;
  end: number;
  /** Without surrounding white space; both are `end` when the atom is only white space. */
  contentStart: number;
  contentEnd: number;
  border: Border;
  /** True for a heading or a marker line, which must not end a chunk. */
  heading: boolean;
  /** Hash of the content, for content-defined borders. */
  hash: number;
  /** Data of the caller, passed on to the chunk. */
  note: Note;
}

/** A stretch of text, and how to cut it when it is too long for one atom. */
export interface Piece {
  start: number;
  end: number;
  border: Border;
  heading: boolean;
  levels: readonly Level[];
  /** Largest size that is not cut; `MAX` when absent. */
  whole?: number;
}

/** @param offset of `text` in the whole source text; added to the offsets of the atoms */
export function* atomsOf<Note>(
  text: string,
  piece: Piece,
  offset: number,
  note: Note,
): Generator<Atom<Note>> {
  const atom = atomAt(text, piece, offset, note);
  if (atom.contentEnd - atom.contentStart <= (piece.whole ?? MAX)) {
    yield atom;
    return;
  }
  const [level, ...levels] = piece.levels;
  if (level === undefined) {
    yield atom;
    return;
  }
  const cuts = cutsAt(text.slice(piece.start, piece.end), level);
  let start = piece.start;
  for (let index = 0; index <= cuts.length; index++) {
    const cut = cuts[index];
    const end = cut === undefined ? piece.end : piece.start + cut;
    const border = start === piece.start ? piece.border : borderOf(level);
    yield* atomsOf(text, { start, end, border, heading: false, levels }, offset, note);
    start = end;
  }
}

function borderOf(level: Level): Border {
  if (level === 'blank') return 'block';
  return level === 'word' || level === 'punctuation' ? 'word' : 'part';
}

function atomAt<Note>(text: string, piece: Piece, offset: number, note: Note): Atom<Note> {
  let contentEnd = piece.end;
  while (contentEnd > piece.start && isSpace(text.charCodeAt(contentEnd - 1))) contentEnd--;
  let contentStart = piece.start;
  if (contentEnd === piece.start) contentStart = contentEnd = piece.end;
  while (contentStart < contentEnd && isSpace(text.charCodeAt(contentStart))) contentStart++;
  return {
    start: piece.start + offset,
    end: piece.end + offset,
    contentStart: contentStart + offset,
    contentEnd: contentEnd + offset,
    border: piece.border,
    heading: piece.heading,
    hash: fnv1a(text, contentStart, Math.min(contentEnd, contentStart + HASHED)),
    note,
  };
}

const HASHED = 256;

/** FNV-1a over the UTF-16 units of a slice, with a final mixing step because only the low bits are used. */
function fnv1a(text: string, start: number, end: number): number {
  let hash = 0x811c9dc5;
  for (let index = start; index < end; index++) {
    hash = Math.imul(hash ^ text.charCodeAt(index), 0x01000193);
  }
  hash ^= hash >>> 15;
  return hash >>> 0;
}
