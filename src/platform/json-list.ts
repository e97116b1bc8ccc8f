import { randomUUID } from 'node:crypto';
import { regularStream } from './regular-file.js';

const code = (character: string): number => character.charCodeAt(0);
const QUOTE = code('"');
const BACKSLASH = code('\\');
const COMMA = code(',');
const SPACE = code(' ');
const BRACE = code('{');
const BRACE_END = code('}');
const LIST = code('[');
const LIST_END = code(']');
const WHITE = new Set([' ', '\n', '\r', '\t'].map(code));
const NAME_BYTES = 256;

/** The bytes of a value in a file, the end not included. */
export interface ListItem {
  start: number;
  end: number;
  /** False when the file ends before the value or its list does. */
  whole: boolean;
}

/**
 * Finds the items of a JSON list without parsing them. The document is the list, or an object that contains the list
 * under this name. Nothing is kept in memory. An item that is not JSON does not hide the others unless its brackets or
 * quotes do not match. Yields nothing without such a list.
 *
 * @throws NotRegularFile, or the file system's error when the file cannot be read
 */
export async function* listItems(path: string, name: string): AsyncGenerator<ListItem> {
  const scanner = new Scanner(name);
  for await (const chunk of regularStream(path, 1024 * 1024)) {
    scanner.read(chunk);
    yield* scanner.take();
  }
  scanner.end();
  yield* scanner.take();
}

/**
 * Parses a JSON object whose list of this name is long, one item at a time, so that text and values are not in memory
 * together. A document is parsed as a whole when its list is not formatted as by `JSON.stringify`.
 *
 * @returns the document with that list empty, and its items
 * @throws SyntaxError, also during the iteration
 */
export function jsonPieces(bytes: Buffer, name: string): { rest: unknown; items: () => Iterable<unknown> } {
  const scanner = new Scanner(name);
  scanner.read(bytes);
  const places = scanner.take();
  const { first, last } = scanner;
  let end = first - 1;
  const areDense = places.every(({ start, end: next }) => {
    const follows = start === end + 1;
    end = next;
    return follows;
  });
  if (last > 0 && areDense && (first === last || end === last)) {
    const mark = randomUUID();
    const rest = JSON.parse(`${bytes.toString('utf8', 0, first)}"${mark}"${bytes.toString('utf8', last)}`);
    // With duplicate names, the last list counts.
    if (Array.isArray(rest?.[name]) && rest[name][0] === mark)
      return {
        rest: { ...rest, [name]: [] },
        *items() {
          for (const place of places) yield JSON.parse(bytes.toString('utf8', place.start, place.end));
        },
      };
  }
  const rest = JSON.parse(bytes.toString('utf8'));
  const items = rest?.[name];
  return Array.isArray(items)
    ? { rest: { ...rest, [name]: [] }, items: () => items }
    : { rest, items: () => [] };
}

class Scanner {
  /** Offsets of the list's content and of its closing bracket; 0 until they are known. */
  first = 0;
  last = 0;
  #items: ListItem[] = [];
  /** Bytes of the previous chunks. */
  #before = 0;
  #depth = 0;
  /** Depth of the items; undefined before the list. */
  #itemDepth: number | undefined;
  #done = false;
  #start = -1;
  #inString = false;
  #escaped = false;
  /** The last string in the outermost object. */
  #key: number[] | undefined;

  /** @param name of the list */
  constructor(private readonly name: string) {}

  take(): ListItem[] {
    const items = this.#items;
    this.#items = [];
    return items;
  }

  read(chunk: Buffer): void {
    for (let at = 0; at < chunk.length && !this.#done; at += 1) {
      const byte = chunk[at] ?? 0;
      if (this.#inString) {
        if (this.#escaped || this.#itemDepth === undefined) this.#inside(byte);
        else at = this.#skipString(chunk, at);
      } else if (this.#itemDepth !== undefined && this.#depth > this.#itemDepth) {
        at = this.#skipItem(chunk, at);
      } else this.#outside(byte, this.#before + at);
    }
    this.#before += chunk.length;
  }

  /** Returns the position of the last byte of the item, or of the chunk. Most bytes of a list are read here. */
  #skipItem(chunk: Buffer, start: number): number {
    const outside = this.#itemDepth ?? 0;
    let depth = this.#depth;
    let at = start;
    for (; at < chunk.length && depth > outside; at += 1) {
      const byte = chunk[at];
      if (byte === QUOTE) {
        const quote = chunk.indexOf(QUOTE, at + 1);
        at = quote !== -1 && chunk[quote - 1] !== BACKSLASH ? quote : this.#skipString(chunk, at + 1);
      } else if (byte === BRACE || byte === LIST) depth += 1;
      else if (byte === BRACE_END || byte === LIST_END) depth -= 1;
    }
    this.#depth = depth;
    if (depth === outside) this.#finish(this.#before + at);
    return at - 1;
  }

  /** Returns the position of the closing quote, or the end of the chunk. */
  #skipString(chunk: Buffer, start: number): number {
    for (let from = start; ; ) {
      const quote = chunk.indexOf(QUOTE, from);
      const end = quote === -1 ? chunk.length : quote;
      let escapes = 0;
      while (end - escapes > start && chunk[end - escapes - 1] === BACKSLASH) escapes += 1;
      this.#inString = quote === -1;
      this.#escaped = this.#inString && escapes % 2 === 1;
      if (this.#inString || escapes % 2 === 0) return end;
      from = quote + 1;
    }
  }

  end(): void {
    if (this.#done || this.#itemDepth === undefined) return;
    const start = this.#start < 0 ? this.#before : this.#start;
    this.#items.push({ start, end: this.#before, whole: false });
  }

  #inside(byte: number): void {
    if (this.#escaped) this.#escaped = false;
    else if (byte === BACKSLASH) this.#escaped = true;
    else if (byte === QUOTE) {
      this.#inString = false;
      return;
    }
    if (this.#key !== undefined && this.#depth === 1 && this.#key.length < NAME_BYTES) this.#key.push(byte);
  }

  #outside(byte: number, at: number): void {
    if (byte <= SPACE && WHITE.has(byte)) return;
    const atItem = this.#depth === this.#itemDepth;
    if (byte === COMMA) {
      if (atItem) this.#finish(at);
      return;
    }
    if (byte === BRACE_END || byte === LIST_END) {
      // An item that is not an object ends where the list ends.
      if (atItem) {
        this.#finish(at);
        this.#done = true;
        this.last = at;
      }
      this.#depth -= 1;
      if (this.#depth === this.#itemDepth) this.#finish(at + 1);
      return;
    }
    if (atItem && this.#start < 0) this.#start = at;
    if (byte === QUOTE) {
      this.#inString = true;
      if (this.#depth === 1 && this.#itemDepth === undefined) this.#key = [];
    } else if (byte === BRACE || byte === LIST) {
      if (byte === LIST && this.#isTheList()) {
        this.#itemDepth = this.#depth + 1;
        this.first = at + 1;
      }
      this.#depth += 1;
    }
  }

  #isTheList(): boolean {
    if (this.#itemDepth !== undefined) return false;
    if (this.#depth === 0) return true;
    return this.#depth === 1 && Buffer.from(this.#key ?? []).toString('utf8') === this.name;
  }

  #finish(end: number): void {
    if (this.#start >= 0) this.#items.push({ start: this.#start, end, whole: true });
    this.#start = -1;
  }
}
