import type { Part } from '../../core/parts.js';
import { ASSISTANT_HEAD, resultHead, USER_HEAD } from '../../core/turns.js';
import { atomsOf, type Border } from '../chunk/atoms.js';
import { LINES, safeCut } from '../chunk/borders.js';
import { HEAD, SLACK, TAIL } from '../chunk/limits.js';
import { markdownAtoms } from '../chunk/markdown.js';
import type { ChunkNote, SegmentWriter } from '../chunk/writer.js';
import type { Role } from '../segment.js';
import type { RecordedTurn } from './records.js';

/** Calls wait for their results up to this much text (UTF-16 units) behind them. */
const MAX_HELD = 8 * 1024 * 1024;
/** A cut at a line's end is taken when it costs no more than this. */
const NEAR = 256;
const GAP = '\n\n';

type Result = Extract<Part, { kind: 'result' }>;

interface Item {
  turn: RecordedTurn | undefined;
  kind: 'aside' | 'text' | 'call' | 'result' | 'silent';
  text: string;
  error: boolean;
  /** Of a call whose result is still to come: its id. */
  awaits: string | undefined;
  /** Of a call: its result and the turn that brought it. */
  result?: { part: Result; turn: RecordedTurn };
}

/**
 * Writes the turns of a transcript as text, each under a line that says who speaks, the words verbatim.
 * Calls are held back until their results are there, at most to the end of the exchange.
 */
export class TranscriptText {
  private held: Item[] = [];
  /** Those before this index are written: the array is shortened when they are half of it. */
  private first = 0;
  /** The calls among them whose results are still to come, by id, in their order. */
  private readonly awaiting = new Map<string, { calls: Item[]; next: number }>();
  private heldSize = 0;
  private question = '';
  private notes = new Map<string, ChunkNote>();
  /** The turn whose text was written last, so that its next text needs no line of its own. */
  private speaking: RecordedTurn | undefined;
  private readonly messages = new Set<string>();
  /** True before the first words and calls: the header belongs to the first exchange. */
  private onlyAsides = true;

  constructor(private readonly writer: SegmentWriter) {}

  /** Everything from here to the next call answers this question. */
  startExchange(question: string): void {
    this.flush();
    if (!this.onlyAsides) this.writer.endChunk();
    this.onlyAsides = false;
    this.question = question;
    this.notes = new Map();
    this.speaking = undefined;
  }

  /** A line of its own without a speaker: the session's header, a summary. */
  aside(text: string, turn?: RecordedTurn): void {
    this.hold({ turn, kind: 'aside', text, error: false, awaits: undefined });
  }

  say(text: string, turn: RecordedTurn): void {
    this.hold({ turn, kind: 'text', text, error: false, awaits: undefined });
  }

  call(text: string, id: string | undefined, turn: RecordedTurn): void {
    this.hold({ turn, kind: 'call', text, error: false, awaits: id });
  }

  result(part: Result, turn: RecordedTurn): void {
    const call = part.id === undefined ? undefined : this.answered(part.id);
    if (call === undefined) {
      this.hold({ turn, kind: 'result', text: part.text, error: part.error, awaits: undefined });
      return;
    }
    call.result = { part, turn };
    this.heldSize += part.text.length;
    this.release();
  }

  /** A turn of which nothing is left; its message counts as read. */
  silent(turn: RecordedTurn): void {
    this.hold({ turn, kind: 'silent', text: '', error: false, awaits: undefined });
  }

  finish(): void {
    this.flush();
    this.writer.endChunk();
  }

  /** The first call that waits for this result; it waits no longer. */
  private answered(id: string): Item | undefined {
    const waiting = this.awaiting.get(id);
    const call = waiting?.calls[waiting.next];
    if (waiting === undefined || call === undefined) return undefined;
    waiting.next += 1;
    call.awaits = undefined;
    return call;
  }

  private hold(item: Item): void {
    this.held.push(item);
    const { awaits } = item;
    if (awaits !== undefined) {
      const waiting = this.awaiting.get(awaits);
      if (waiting === undefined) this.awaiting.set(awaits, { calls: [item], next: 0 });
      else waiting.calls.push(item);
    }
    this.heldSize += item.text.length;
    this.release();
  }

  private release(): void {
    if (this.heldSize > MAX_HELD) {
      this.flush();
      return;
    }
    let end = this.first;
    while (end < this.held.length && this.held[end]?.awaits === undefined) end++;
    this.write(end);
  }

  private flush(): void {
    this.write(this.held.length);
  }

  /** Writes what is held up to this index. */
  private write(end: number): void {
    if (end === this.first) return;
    const items = this.held.slice(this.first, end);
    this.first = end;
    if (end * 2 >= this.held.length) {
      this.held = this.held.slice(end);
      this.first = 0;
    }
    // All of them, or none that waits: `release` writes what stands before the first call that does.
    if (this.held.length === 0) this.awaiting.clear();
    for (const item of items) {
      this.heldSize -= item.text.length + (item.result?.part.text.length ?? 0);
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

  /** Of a long text only head and tail become chunks, cut at a line's end where one is near. */
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

/** Lone surrogates have no UTF-8 form: they become U+FFFD here rather than on the way to the disk. */
export function wellFormed(text: string): string {
  return text.replace(LONE_SURROGATE, '\ufffd');
}
