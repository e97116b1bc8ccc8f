import type { Part } from '../../core/parts.js';
import { ASSISTANT_HEAD, resultHead, USER_HEAD } from '../../core/turns.js';
import { atomsOf, type Border } from '../chunk/atoms.js';
import { LINES, safeCut } from '../chunk/borders.js';
import { HEAD, SLACK, TAIL } from '../chunk/limits.js';
import { markdownAtoms } from '../chunk/markdown.js';
import type { ChunkNote, SegmentWriter } from '../chunk/writer.js';
import type { Role } from '../segment.js';
import type { RecordedTurn } from './records.js';

/** Limit (UTF-16 units) of the text that is buffered while calls wait for their results. */
const MAX_BUFFERED = 8 * 1024 * 1024;
/** A cut moves to a line's end within this distance. */
const NEAR = 256;
const GAP = '\n\n';

type Result = Extract<Part, { kind: 'result' }>;

interface Item {
  turn: RecordedTurn | undefined;
  kind: 'aside' | 'text' | 'call' | 'result' | 'silent';
  text: string;
  error: boolean;
  /** The id of a call without a result so far. */
  awaits: string | undefined;
  /** The result of a call, and its turn. */
  result?: { part: Result; turn: RecordedTurn };
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
  private notes = new Map<string, ChunkNote>();
  /** The turn whose text was written last: its next text needs no line with the speaker. */
  private speaking: RecordedTurn | undefined;
  private readonly messages = new Set<string>();
  /** True until the first words or call: the header belongs to the first exchange. */
  private onlyAsides = true;

  constructor(private readonly writer: SegmentWriter) {}

  startExchange(question: string): void {
    this.flush();
    if (!this.onlyAsides) this.writer.endChunk();
    this.onlyAsides = false;
    this.question = question;
    this.notes = new Map();
    this.speaking = undefined;
  }

  /** A text without a speaker: the session's header, a summary. */
  aside(text: string, turn?: RecordedTurn): void {
    this.add('aside', turn, text);
  }

  say(text: string, turn: RecordedTurn): void {
    this.add('text', turn, text);
  }

  call(text: string, id: string | undefined, turn: RecordedTurn): void {
    this.add('call', turn, text, { awaits: id });
  }

  result(part: Result, turn: RecordedTurn): void {
    const call = part.id === undefined ? undefined : this.answered(part.id);
    if (call === undefined) {
      this.add('result', turn, part.text, { error: part.error });
      return;
    }
    call.result = { part, turn };
    this.bufferedSize += part.text.length;
    this.release();
  }

  /** An empty turn; its message counts as read. */
  silent(turn: RecordedTurn): void {
    this.add('silent', turn, '');
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

  private add(
    kind: Item['kind'],
    turn: RecordedTurn | undefined,
    text: string,
    { error = false, awaits }: { error?: boolean; awaits?: string | undefined } = {},
  ): void {
    const item: Item = { turn, kind, text, error, awaits };
    this.buffered.push(item);
    if (awaits !== undefined) {
      const waiting = this.awaiting.get(awaits);
      if (waiting === undefined) this.awaiting.set(awaits, { calls: [item], next: 0 });
      else waiting.calls.push(item);
    }
    this.bufferedSize += text.length;
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
      this.bufferedSize -= item.text.length + (item.result?.part.text.length ?? 0);
      this.writeItem(item);
    }
  }

  private writeItem(item: Item): void {
    const { turn } = item;
    this.readMessage(turn);
    if (item.kind === 'silent') return;
    if (item.kind === 'aside') {
      this.writer.turn('note');
      this.marker(`${item.text}${GAP}`, 'turn', this.noteOf(turn, undefined));
    } else if (item.kind === 'text') {
      this.writeText(item.text, turn);
    } else if (item.kind === 'call') {
      this.onlyAsides = false;
      this.writer.turn('call');
      this.writeTool(`${item.text}${GAP}`, item.text.length, 'turn', this.noteOf(turn, 'tool'));
      if (item.result) this.writeResult(item.result.part, item.result.turn);
    } else {
      this.writeResult(item, turn);
    }
    this.speaking = item.kind === 'text' ? turn : undefined;
  }

  private readMessage(turn: RecordedTurn | undefined): void {
    if (turn?.id === undefined || this.messages.has(turn.id)) return;
    this.messages.add(turn.id);
    this.writer.message(turn.id);
  }

  private writeText(text: string, turn: RecordedTurn | undefined): void {
    const role = turn?.role ?? 'assistant';
    const note = this.noteOf(turn, role);
    this.onlyAsides = false;
    if (turn === undefined || this.speaking !== turn) {
      this.writer.turn(role);
      this.marker(role === 'user' ? USER_HEAD : ASSISTANT_HEAD, 'turn', note);
    }
    const offset = this.writer.offset;
    const written = wellFormed(text) + GAP;
    this.writer.append(written);
    this.writer.push(markdownAtoms(written, { offset, document: false, note: () => note }));
  }

  private writeResult(result: { text: string; error: boolean }, turn: RecordedTurn | undefined): void {
    const note = this.noteOf(turn, 'tool');
    this.onlyAsides = false;
    this.readMessage(turn);
    this.writer.turn('result');
    this.marker(resultHead(result.error), 'block', note);
    this.writeTool(`${result.text}${GAP}`, result.text.length, 'block', note);
  }

  private marker(text: string, border: Border, note: ChunkNote): void {
    const offset = this.writer.offset;
    const written = wellFormed(text);
    this.writer.append(written);
    const piece = { start: 0, end: written.length, border, heading: true, levels: LINES };
    this.writer.push(atomsOf(written, piece, offset, note));
  }

  /** Only head and tail of a long text become chunks, cut at the end of a line if one is near. */
  private writeTool(text: string, length: number, border: Border, note: ChunkNote): void {
    const offset = this.writer.offset;
    const written = wellFormed(text);
    this.writer.append(written);
    const piece = { start: 0, end: written.length, border, heading: false, levels: LINES };
    if (length <= HEAD + TAIL + SLACK) {
      this.writer.push(atomsOf(written, piece, offset, note));
      return;
    }
    const head = headEnd(written);
    const tail = tailStart(written, length);
    this.writer.push(atomsOf(written, { ...piece, end: head }, offset, note));
    this.writer.leaveOut(offset + tail);
    this.writer.push(atomsOf(written, { ...piece, start: tail, border: 'block' }, offset, note));
  }

  private noteOf(turn: RecordedTurn | undefined, role: Role | undefined): ChunkNote {
    const key = `${turn?.date ?? ''} ${role ?? ''}`;
    let note = this.notes.get(key);
    if (note === undefined) {
      note = { context: this.question, contentDate: turn?.date, ...(role === undefined ? {} : { role }) };
      this.notes.set(key, note);
    }
    return note;
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
