import type { TurnMark, TurnRole } from '../../core/turns.js';
import type { Chunk, Problem, Role, Segment } from '../segment.js';
import type { Atom } from './atoms.js';
import { safeCut } from './borders.js';
import { detach } from './context.js';
import { SEGMENT_SIZE } from './limits.js';
import { LineCounter } from './lines.js';
import { type Packed, Packer } from './packer.js';

export interface ChunkNote {
  context: string;
  contentDate?: string | undefined;
  role?: Role;
}

/**
 * Makes segments from source text and its atoms: packs atoms into chunks, cuts them out of the text, counts lines. It
 * buffers the text after the last segment, which is little more than one segment and the part appended last.
 */
export class SegmentWriter {
  private parts: string[] = [];
  /** Offset of the first buffered character. */
  private base = 0;
  /** Offset of the end of the appended text. */
  private appended = 0;
  private packed: Packed<ChunkNote>[] = [];
  private readonly packer = new Packer<ChunkNote>((chunk) => {
    this.packed.push(chunk);
    if (chunk.end - this.base >= SEGMENT_SIZE) this.cut(chunk.end);
  });
  private readonly lines = new LineCounter();
  private ready: Segment[] = [];
  private messages: string[] = [];
  private turns: TurnMark[] = [];
  private problems: Problem[] = [];
  private redacted: Record<string, number> = {};
  private title: string | undefined;

  /** Offset of the next text. */
  get offset(): number {
    return this.appended;
  }

  /** Appends source text, all of which must then be pushed as atoms or left out. */
  append(text: string): void {
    this.parts.push(text);
    this.appended += text.length;
  }

  push(atoms: Iterable<Atom<ChunkNote>>): void {
    for (const atom of atoms) this.packer.push(atom);
  }

  /** Ends the current chunk. */
  endChunk(): void {
    this.packer.finish();
  }

  /** Leaves the appended text from here up to `end` out of all chunks. */
  leaveOut(end: number): void {
    this.packer.finish();
    while (end - this.base >= 2 * SEGMENT_SIZE) this.cut(this.base + SEGMENT_SIZE);
  }

  message(id: string): void {
    this.messages.push(id);
  }

  /** Marks the start of a part of the transcript, before it is appended. */
  turn(role: TurnRole): void {
    this.turns.push({ role, start: this.appended });
  }

  problem(line: number, reason: string): void {
    this.problems.push({ line, reason });
  }

  redact(counts: Readonly<Record<string, number>>): void {
    for (const [kind, count] of Object.entries(counts))
      this.redacted[kind] = (this.redacted[kind] ?? 0) + count;
  }

  /** Sets the title; the first one counts, if it comes before the first segment is taken. */
  name(title: string): void {
    if (title !== '') this.title ??= detach(title);
  }

  /** The complete segments, each returned once. */
  take(): Segment[] {
    const segments = this.ready;
    this.ready = [];
    return segments;
  }

  /** The remaining segments. */
  finish(): Segment[] {
    this.packer.finish();
    if (this.appended > this.base || this.messages.length > 0 || this.hasReports()) this.cut(this.appended);
    return this.take();
  }

  private hasReports(): boolean {
    return this.problems.length > 0 || Object.keys(this.redacted).length > 0;
  }

  private cut(wanted: number): void {
    const buffered = this.parts.length === 1 ? (this.parts[0] ?? '') : this.parts.join('');
    const end = wanted === this.appended ? wanted : safeCut(buffered, wanted - this.base) + this.base;
    const text = buffered.slice(0, end - this.base);
    const chunks = this.chunksOf(text);
    this.ready.push({
      text,
      chunks,
      messages: this.messages,
      turns: this.turns,
      ...(this.title === undefined ? {} : { title: this.title }),
      problems: this.problems,
      redacted: this.redacted,
    });
    this.parts = end === this.appended ? [] : [buffered.slice(end - this.base)];
    this.base = end;
    this.packed = [];
    this.messages = [];
    this.turns = [];
    this.problems = [];
    this.redacted = {};
  }

  private chunksOf(text: string): Chunk[] {
    const chunks: Chunk[] = [];
    let at = 0;
    for (const packed of this.packed) {
      const start = packed.start - this.base;
      const contentStart = packed.contentStart - this.base;
      const contentEnd = Math.max(contentStart, packed.contentEnd - this.base);
      this.lines.advance(text, at, contentStart);
      const lineStart = this.lines.line;
      this.lines.advance(text, contentStart, contentEnd);
      at = contentEnd;
      const { context, contentDate } = packed.note;
      const role = mainRole(packed);
      chunks.push({
        text: detach(text.slice(start, packed.end - this.base)),
        start: packed.start,
        end: packed.end,
        lineStart,
        lineEnd: this.lines.line,
        context,
        ...(contentDate === undefined ? {} : { contentDate }),
        ...(role === undefined ? {} : { role }),
      });
    }
    this.lines.advance(text, at, text.length);
    return chunks;
  }
}

function mainRole(chunk: Packed<ChunkNote>): Role | undefined {
  const sizes = new Map<Role, number>();
  for (const { note, size } of chunk.shares) {
    if (note.role !== undefined) sizes.set(note.role, (sizes.get(note.role) ?? 0) + size);
  }
  let main: Role | undefined;
  for (const [role, size] of sizes) {
    if (main === undefined || size > (sizes.get(main) ?? 0)) main = role;
  }
  return main;
}
