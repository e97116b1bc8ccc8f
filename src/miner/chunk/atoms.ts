import { cutsAt, type Level } from './borders.js';
import { MAX } from './limits.js';

/** The kind of border before an atom; stronger ones close a chunk earlier. */
export type Border = 'section' | 'subsection' | 'turn' | 'block' | 'part' | 'word';

export interface ChunkNote {
  context: string;
  contentDate: string | null;
  role: string | null;
}

/** A stretch of text that is never cut. Consecutive atoms touch: each ends where the next starts. */
export interface Atom {
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
  note: ChunkNote;
}

/** A stretch of text, and how to cut it when it is too long for one atom. */
export interface Piece extends Pick<Atom, 'start' | 'end' | 'border' | 'heading' | 'note'> {
  levels: readonly Level[];
  /** Largest size that is not cut; `MAX` when absent. */
  whole?: number;
}

export function* atomsOf(text: string, piece: Piece): Generator<Atom> {
  const { start, end, border, heading, note, levels, whole = MAX } = piece;
  const stretch = text.slice(start, end);
  const content = stretch.trim();
  const level = levels[0];
  if (content.length <= whole || level === undefined) {
    const contentStart = end - stretch.trimStart().length;
    const contentEnd = contentStart + content.length;
    yield { start, end, contentStart, contentEnd, border, heading, hash: fnv1a(content), note };
    return;
  }
  const finer = levels.slice(1);
  let from = start;
  for (const cut of [...cutsAt(stretch, level), stretch.length]) {
    const first = from === start ? border : borderOf(level);
    const end = start + cut;
    yield* atomsOf(text, { start: from, end, border: first, heading: false, levels: finer, note });
    from = end;
  }
}

function borderOf(level: Level): Border {
  if (level === 'blank') return 'block';
  return level === 'word' || level === 'punctuation' ? 'word' : 'part';
}

const HASHED = 256;

/** FNV-1a over the first UTF-16 units, with a final mixing step because only the low bits are used. */
function fnv1a(text: string): number {
  let hash = 0x811c9dc5;
  for (let index = 0; index < Math.min(text.length, HASHED); index++) {
    hash = Math.imul(hash ^ text.charCodeAt(index), 0x01000193);
  }
  hash ^= hash >>> 15;
  return hash >>> 0;
}
