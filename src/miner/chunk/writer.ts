import type { TurnRole } from '../../core/turns.js';
import type { Chunk, Segment } from '../segment.js';
import type { Atom } from './atoms.js';
import { safeCut } from './borders.js';
import { detach } from './context.js';
import { SEGMENT_SIZE } from './limits.js';
import { lineEnds } from './lines.js';
import { type Packed, Packer } from './packer.js';

type Reported = Omit<Segment, 'text' | 'chunks' | 'title'>;
const nothingReported = (): Reported => ({ messages: [], turns: [], problems: [], redacted: {} });

/**
 * Makes segments from source text and its atoms: packs atoms into chunks, cuts them out of the text, counts lines. It
 * buffers the text after the last segment, which is little more than one segment and the part appended last.
 */
export class SegmentWriter {
  private parts: string[] = [];
  /** Offset of the first buffered character. */
  private base = 0;
  /** Offsets of the start and the end of the part appended last. */
  private partStart = 0;
  private appended = 0;
  private packed: Packed[] = [];
  private readonly packer = new Packer((chunk) => {
    this.packed.push(chunk);
    if (chunk.end - this.base >= SEGMENT_SIZE) this.cut(chunk.end);
  });
  /** 1-based line at `base`. */
  private line = 1;
  private ready: Segment[] = [];
  private title: string | undefined;
  /** For the next segment; callers add to it. */
  reported = nothingReported();

  /** Appends source text, all of which must then be pushed as atoms or left out. */
  append(text: string): void {
    this.parts.push(text);
    this.partStart = this.appended;
    this.appended += text.length;
  }

  /** @param atoms of the part appended last, with offsets into it */
  push(atoms: Iterable<Atom>): void {
    for (const atom of atoms) {
      for (const key of ['start', 'end', 'contentStart', 'contentEnd'] as const) atom[key] += this.partStart;
      this.packer.push(atom);
    }
  }

  endChunk(): void {
    this.packer.finish();
  }

  /** Leaves the part appended last out of all chunks, from here up to an offset in it. */
  leaveOut(end: number): void {
    this.packer.finish();
    while (this.partStart + end - this.base >= 2 * SEGMENT_SIZE) this.cut(this.base + SEGMENT_SIZE);
  }

  /** Marks the start of a part of the transcript, before it is appended. Returns its offset. */
  turn(role: TurnRole, message: string | undefined): number {
    this.reported.turns.push({ role, start: this.appended, ...(message === undefined ? {} : { message }) });
    return this.appended;
  }

  /** The line, from 1, of the text that is appended next. */
  get lineAtEnd(): number {
    return this.parts.reduce((line, part) => line + lineEnds(part, 0, part.length), this.line);
  }

  /** Sets the title; the first one counts, if it comes before the first segment is taken. */
  name(title: string): void {
    if (title !== '') this.title ??= detach(title);
  }

  take(): Segment[] {
    return this.ready.splice(0);
  }

  finish(): Segment[] {
    this.packer.finish();
    const { messages, problems, redacted } = this.reported;
    if (
      this.appended > this.base ||
      [messages, problems, Object.keys(redacted)].some(({ length }) => length > 0)
    )
      this.cut(this.appended);
    return this.take();
  }

  private cut(wanted: number): void {
    const buffered = this.parts.length === 1 ? (this.parts[0] ?? '') : this.parts.join('');
    const end = wanted === this.appended ? wanted : safeCut(buffered, wanted - this.base) + this.base;
    const text = buffered.slice(0, end - this.base);
    this.ready.push({ text, chunks: this.chunksOf(text), title: this.title, ...this.reported });
    this.parts = end === this.appended ? [] : [buffered.slice(end - this.base)];
    this.base = end;
    this.packed = [];
    this.reported = nothingReported();
  }

  private chunksOf(text: string): Chunk[] {
    let at = 0;
    const lineAt = (offset: number): number => {
      this.line += lineEnds(text, at, offset);
      at = offset;
      return this.line;
    };
    const chunks = this.packed.map((packed) => {
      const { start, end, note } = packed;
      const contentStart = packed.contentStart - this.base;
      return {
        text: detach(text.slice(start - this.base, end - this.base)),
        start,
        end,
        lineStart: lineAt(contentStart),
        lineEnd: lineAt(Math.max(contentStart, packed.contentEnd - this.base)),
        context: note.context,
        contentDate: note.contentDate,
        role: mainRole(packed),
      };
    });
    lineAt(text.length);
    return chunks;
  }
}

function mainRole({ shares }: Packed): string | null {
  const sizes = new Map<string, number>();
  for (const { note, size } of shares) {
    if (note.role !== null) sizes.set(note.role, (sizes.get(note.role) ?? 0) + size);
  }
  return [...sizes].sort(([, a], [, b]) => b - a)[0]?.[0] ?? null;
}
