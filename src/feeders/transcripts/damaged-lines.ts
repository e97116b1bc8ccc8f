import { piecesOf } from '../../core/damaged-line.js';
import { isTooDeep, mayBeTooDeep, parseJson, TOO_DEEP } from '../../core/json.js';
import { type JsonLine, MAX_LINE_BYTES } from '../../platform/jsonl.js';
import { type Entry, isObject, malformed } from './turns.js';

const NOT_JSON = 'not JSON (a line that was cut off?)';
const TOO_LONG = 'line longer than 64 MB';
/** Limits for a record whose strings contain line breaks that are not escaped. */
const MOST_LINES = 10_000;
const MOST_TRIES = 100;

/** Two equal records without a time to the millisecond can be two. */
const TIMED = /"timestamp": ?(?:"[^"\\]*|\d+)\.\d{3}/;

type Malformed = Extract<Entry, { kind: 'malformed' }>;
/** A record of a transcript: its JSON, or the reason why it is unreadable. */
export type RecordLine = { line: number; json: unknown } | Malformed;

/** All JSON objects of a line, also of a damaged one. */
export function recordsIn(text: string): unknown[] {
  const json = parseJson(text);
  return json === undefined ? piecesOf(text).flatMap((piece) => piece.json ?? []) : [json];
}

/**
 * Parses the lines of one file. Of a damaged line, the complete records are returned; what was cut off is reported, once per
 * line, unless the next record repeats it whole. Of equal records in a row, the first is returned.
 */
export class DamagedLines {
  /** A record that was cut off within a string, and the following lines, which may continue it. */
  #held: JsonLine[] = [];
  #size = 0;
  #tries = 0;
  /** The last piece that was cut off; not yet reported. */
  #cut: { text: string; line: number } | undefined;
  #reported = 0;
  #last = '';

  /** Called for each line in order. A record that may continue in the next line is returned with that one. */
  records({ text, number }: JsonLine): readonly RecordLine[] {
    if (text === undefined) return [...this.rest(), malformed(TOO_LONG, number)];
    const json = parseJson(text);
    if (json !== undefined && this.#held.length === 0 && this.#cut === undefined)
      return this.#record(json, text, number);
    if (isObject(json))
      return [...this.#release(), ...this.#compare(text), ...this.#record(json, text, number)];
    if (this.#held.length > 0) return this.#join({ text, number });
    return json === undefined ? this.#repair({ text, number }, true) : this.#record(json, text, number);
  }

  rest(): RecordLine[] {
    return [...this.#release(), ...this.#report()];
  }

  /** @param mayContinue whether its last record may continue in the next line */
  #repair({ text = '', number }: JsonLine, mayContinue: boolean): RecordLine[] {
    const pieces = piecesOf(text);
    return pieces.flatMap((piece, index) => {
      if (piece.json !== undefined)
        return [...this.#compare(piece.text), ...this.#record(piece.json, piece.text, number)];
      if (mayContinue && piece.inString === true && index === pieces.length - 1) {
        this.#held = [{ text: piece.text, number }];
        return [];
      }
      const before = this.#report();
      this.#cut = { text: piece.text, line: number };
      return before;
    });
  }

  #join(line: JsonLine): RecordLine[] {
    const { text = '', number } = line;
    this.#held.push(line);
    this.#size += text.length;
    if (this.#held.length > MOST_LINES || this.#tries > MOST_TRIES || this.#size > MAX_LINE_BYTES)
      return this.#release();
    if (!text.includes('"') || !text.includes('}')) return [];
    this.#tries += 1;
    const [{ text: begun = '', number: first } = line] = this.#held;
    let joined = begun;
    for (const [index, { text: next = '', number: at }] of this.#held.slice(1).entries())
      joined += '\n'.repeat(at - (this.#held[index]?.number ?? at)) + next;
    const [whole, ...others] = piecesOf(joined);
    if (whole?.json === undefined || !joined.startsWith(whole.text)) return [];
    this.#forget();
    const compared = this.#compare(whole.text);
    const record = this.#record(whole.json, whole.text, first);
    const rest =
      others.length === 0
        ? []
        : this.#repair({ text: others.map((each) => each.text).join(''), number }, true);
    return [...compared, ...record, ...rest];
  }

  #forget(): JsonLine[] {
    const held = this.#held;
    this.#held = [];
    this.#size = 0;
    this.#tries = 0;
    return held;
  }

  /** The held lines as lines of their own. */
  #release(): RecordLine[] {
    return this.#forget().flatMap((line) => this.#repair(line, false));
  }

  /** Reports the piece that was cut off, unless it is the beginning of this next record. */
  #compare(next: string): RecordLine[] {
    // Its last character may have been cut too.
    if (this.#cut !== undefined && next.startsWith(this.#cut.text.replace(/\uFFFD+$/, '')))
      this.#cut = undefined;
    return this.#report();
  }

  /** A program that repeats a write that failed can write a record twice. */
  #record(json: unknown, text: string, line: number): RecordLine[] {
    if (text === this.#last && TIMED.test(text)) return [];
    this.#last = text;
    return [mayBeTooDeep(text) && isTooDeep(json) ? malformed(TOO_DEEP, line) : { line, json }];
  }

  #report(): Malformed[] {
    const cut = this.#cut;
    this.#cut = undefined;
    if (cut === undefined || cut.line === this.#reported) return [];
    this.#reported = cut.line;
    return [malformed(NOT_JSON, cut.line)];
  }
}
