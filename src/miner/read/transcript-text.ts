import type { TextActivity } from '../../activity/index.js';
import type { Part } from '../../core/parts.js';
import { ASSISTANT_HEAD, resultHead, type TurnRole, USER_HEAD } from '../../core/turns.js';
import { atomsOf, type Border, type ChunkNote } from '../chunk/atoms.js';
import { LINES, safeCut } from '../chunk/borders.js';
import { HEAD, SLACK, TAIL } from '../chunk/limits.js';
import { markdownAtoms } from '../chunk/markdown.js';
import type { SegmentWriter } from '../chunk/writer.js';
import type { RecordedTurn } from './records.js';

/** Limit (UTF-16 units) of the text that is buffered while calls wait for their results. */
const MAX_BUFFERED = 8 * 1024 * 1024;
/** A cut moves to a line's end within this distance. */
const NEAR = 256;
const GAP = '\n\n';

type Result = Extract<Part, { kind: 'result' }>;

interface Item {
  size: number;
  /** The id of a call without a result so far. */
  awaits: string | undefined;
  write: () => void;
  writeResult?: () => void;
}

/**
 * Writes the turns of a transcript as text, verbatim, each after a line with its speaker. Buffers calls until their
 * results arrive, at most to the end of the exchange.
 */
export class TranscriptText {
  private buffered: Item[] = [];
  /** Items before this index are written. The array is shortened when they are half of it. */
  private first = 0;
  /** Buffered calls without a result, by id, in order. */
  private readonly awaiting = new Map<string, { calls: Item[]; next: number }>();
  private bufferedSize = 0;
  private question = '';
  /** The turn whose text was written last: its next text needs no line with the speaker. */
  private speaking: RecordedTurn | undefined;
  private readonly messages = new Set<string>();
  /** True until the first words or call: the header belongs to the first exchange. */
  private onlyAsides = true;

  /** @param activity is given the calls and their results, as they are written */
  constructor(
    private readonly writer: SegmentWriter,
    private readonly activity?: TextActivity,
  ) {}

  startExchange(question: string): void {
    this.flush();
    if (!this.onlyAsides) this.writer.endChunk();
    this.onlyAsides = false;
    this.question = question;
    this.speaking = undefined;
  }

  /** A text without a speaker: the session's header, a summary. */
  aside(text: string, turn?: RecordedTurn): void {
    this.add(text.length, () => {
      this.readMessage(turn);
      this.mark('note', turn);
      this.marker(text + GAP, 'turn', this.noteOf(turn, null));
      this.speaking = undefined;
    });
  }

  say(text: string, turn: RecordedTurn): void {
    this.add(text.length, () => {
      this.readMessage(turn);
      const note = this.noteOf(turn, turn.role);
      this.onlyAsides = false;
      if (this.speaking !== turn) {
        this.mark(turn.role, turn);
        this.marker(turn.role === 'user' ? USER_HEAD : ASSISTANT_HEAD, 'turn', note);
      }
      const written = this.append(text + GAP);
      this.writer.push(markdownAtoms(written, { document: false, note: () => note }));
      this.speaking = turn;
    });
  }

  call(text: string, id: string | undefined, turn: RecordedTurn): void {
    const write = () => {
      this.readMessage(turn);
      const start = this.writer.turn('call', turn.id);
      const written = this.writeTool(text, 'turn', this.noteOf(turn, 'tool'));
      this.activity?.add({ role: 'call', start }, written);
    };
    this.add(text.length, write, id);
  }

  result({ id, text, error }: Result, turn: RecordedTurn): void {
    const write = () => {
      this.readMessage(turn);
      const note = this.noteOf(turn, 'tool');
      const start = this.writer.turn('result', turn.id);
      const head = resultHead(error);
      this.marker(head, 'block', note);
      const written = this.writeTool(text, 'block', note);
      // The output of a success says nothing, and joining a long one to its head copies it.
      this.activity?.add({ role: 'result', start }, error ? head + written : head);
    };
    const call = id === undefined ? undefined : this.answered(id);
    if (call === undefined) {
      this.add(text.length, write);
      return;
    }
    call.writeResult = write;
    call.size += text.length;
    this.bufferedSize += text.length;
    this.release();
  }

  /** @param told is called with the line of the text that follows, after everything before it is written */
  place(told: (line: number) => void): void {
    this.add(0, () => told(this.writer.lineAtEnd));
  }

  /** An empty turn; its message counts as read. */
  silent(turn: RecordedTurn): void {
    this.add(0, () => this.readMessage(turn));
  }

  finish(): void {
    this.flush();
    this.writer.endChunk();
  }

  /** Removes and returns the first call that waits for this result. */
  private answered(id: string): Item | undefined {
    const waiting = this.awaiting.get(id);
    const call = waiting?.calls[waiting.next];
    if (waiting === undefined || call === undefined) return undefined;
    waiting.next += 1;
    call.awaits = undefined;
    return call;
  }

  private add(size: number, write: () => void, awaits?: string): void {
    const item: Item = { size, awaits, write };
    this.buffered.push(item);
    if (awaits !== undefined) {
      const waiting = this.awaiting.get(awaits);
      if (waiting === undefined) this.awaiting.set(awaits, { calls: [item], next: 0 });
      else waiting.calls.push(item);
    }
    this.bufferedSize += size;
    this.release();
  }

  /** Writes the items before the first waiting call; all of them if the buffer is full. */
  private release(): void {
    if (this.bufferedSize > MAX_BUFFERED) {
      this.flush();
      return;
    }
    let end = this.first;
    while (end < this.buffered.length && this.buffered[end]?.awaits === undefined) end++;
    this.write(end);
  }

  private flush(): void {
    this.write(this.buffered.length);
  }

  private write(end: number): void {
    if (end === this.first) return;
    const items = this.buffered.slice(this.first, end);
    this.first = end;
    if (end * 2 >= this.buffered.length) {
      this.buffered = this.buffered.slice(end);
      this.first = 0;
    }
    if (this.buffered.length === 0) this.awaiting.clear();
    for (const item of items) {
      this.bufferedSize -= item.size;
      item.write();
      item.writeResult?.();
    }
  }

  private readMessage(turn: RecordedTurn | undefined): void {
    if (turn?.id === undefined || this.messages.has(turn.id)) return;
    this.messages.add(turn.id);
    this.writer.reported.messages.push(turn.id);
  }

  private append(text: string): string {
    const written = wellFormed(text);
    this.writer.append(written);
    return written;
  }

  private mark(role: TurnRole, turn: RecordedTurn | undefined): void {
    const start = this.writer.turn(role, turn?.id);
    this.activity?.add({ role, start }, '');
  }

  private marker(text: string, border: Border, note: ChunkNote): void {
    const written = this.append(text);
    const piece = { start: 0, end: written.length, border, heading: true, levels: LINES, note };
    this.writer.push(atomsOf(written, piece));
  }

  /** Only head and tail of a long text become chunks, cut at the end of a line if one is near. Returns what was written. */
  private writeTool(text: string, border: Border, note: ChunkNote): string {
    this.onlyAsides = false;
    this.speaking = undefined;
    const written = this.append(text + GAP);
    const piece = { start: 0, end: written.length, border, heading: false, levels: LINES, note };
    if (text.length <= HEAD + TAIL + SLACK) {
      this.writer.push(atomsOf(written, piece));
      return written;
    }
    const start = tailStart(written, text.length);
    this.writer.push(atomsOf(written, { ...piece, end: headEnd(written) }));
    this.writer.leaveOut(start);
    this.writer.push(atomsOf(written, { ...piece, start, border: 'block' }));
    return written;
  }

  private noteOf(turn: RecordedTurn | undefined, role: string | null): ChunkNote {
    return { context: this.question, contentDate: turn?.date ?? null, role };
  }
}

function headEnd(text: string): number {
  const feed = text.lastIndexOf('\n', HEAD - 1);
  return feed >= HEAD - NEAR ? feed + 1 : safeCut(text, HEAD);
}

function tailStart(text: string, length: number): number {
  const start = length - TAIL;
  const feed = text.indexOf('\n', start - 1);
  return feed !== -1 && feed < start + NEAR ? feed + 1 : safeCut(text, start);
}

const LONE_SURROGATE = /\p{Surrogate}/gu;

/** Replaces lone surrogates, which have no UTF-8 form, by U+FFFD. */
export function wellFormed(text: string): string {
  return text.replace(LONE_SURROGATE, '\ufffd');
}
