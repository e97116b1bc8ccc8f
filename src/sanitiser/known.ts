import { FREE_CHARS, formsOf, LEAST_CHARS } from './distinctive.js';
import type { Finding } from './findings.js';

/** A value to search for, indexed by its window at `offset`. */
interface Known {
  value: string;
  /** The part that must match; of the rest, the longest match is removed. */
  head: string;
  kind: string;
  offset: number;
}

/** Characters of a window. Every value is at least as long. */
const WINDOW = LEAST_CHARS;
/** Characters of a block, which determines the distance to the next window (Wu-Manber search). */
const BLOCK = 3;
const BLOCKS = 1 << 15;
/** Maximum values per window; further ones get another window. */
const PER_WINDOW = 4;
/** Windows tried per value. */
const TRIED = 64;
const HEAD = 256;
const LONGEST = 4_096;
/** Per scope; further values are removed only where a rule finds them. */
const MOST_VALUES = 50_000;
const MOST_CHARS = 16 * 1024 * 1024;

/** Before a public hash or id: `commit 3f2a…`, `sha256:…`, `/blob/…`, `index 3f2a…`, `"integrity": "sha512-…"`. */
const NAMES_A_HASH =
  /(?:\b(?:commit|revision|rev|sha-?\d{0,3}|md5|tree|blob|parent|object|merge|index|checksum|digest|hash|integrity|etag)["']?\s{0,2}[:=(/-]?\s{0,2}["'(]?|@|\.\.)$/i;
const HEX = /^[0-9a-f]+$/i;
const BEFORE_CHARS = 24;

/**
 * Values that were found to be secrets, and the search for them in other texts, in one pass for any number of values.
 * They are stored only in memory, in this object.
 */
export class KnownSecrets {
  readonly #kinds = new Map<string, string>();
  #byWindow = new Map<number, Known[]>();
  /** By the hash of a block: the minimum distance to the end of the next window. */
  #steps: Uint8Array | undefined;
  #chars = 0;

  get size(): number {
    return this.#kinds.size;
  }

  /** Remembers a removed value and its encoded forms, if they are long and varied enough. */
  learn(value: string, kind: string): void {
    if (this.#kinds.has(value)) return;
    for (const form of formsOf(value).map((each) => each.slice(0, LONGEST))) {
      if (this.#kinds.has(form) || this.#kinds.size >= MOST_VALUES || this.#chars + form.length > MOST_CHARS)
        continue;
      this.#kinds.set(form, kind);
      this.#chars += form.length;
      this.#enter({ value: form, head: form.slice(0, HEAD), kind, offset: 0 });
    }
  }

  /** Occurrences of the values in a text; they may overlap. */
  find(text: string): Finding[] {
    const steps = this.#steps;
    if (steps === undefined) return [];
    const found: Finding[] = [];
    /** Occurrences of one value do not overlap: otherwise a periodic text would be compared again at each position. */
    const ends = new Map<string, number>();
    for (let last = WINDOW - 1; last < text.length; ) {
      const step = steps[blockAt(text, last)] ?? 0;
      last += step;
      if (step > 0) continue;
      const window = last - WINDOW + 1;
      for (const known of this.#byWindow.get(hashAt(text, window)) ?? []) {
        const start = window - known.offset;
        if (start < (ends.get(known.value) ?? 0)) continue;
        const finding = occurrenceOf(known, text, start);
        if (finding === undefined) continue;
        ends.set(known.value, finding.end);
        found.push(finding);
      }
      last += 1;
    }
    return found;
  }

  /** Indexes a value by a window with few others, since many tokens begin alike. */
  #enter(known: Known): void {
    const room = known.head.length - WINDOW;
    for (let tried = 0; tried <= Math.min(room, TRIED); tried += 1) {
      const offset = room - tried;
      const hash = hashAt(known.value, offset);
      const row = this.#byWindow.get(hash) ?? [];
      if (row.length >= PER_WINDOW) continue;
      row.push({ ...known, offset });
      this.#byWindow.set(hash, row);
      this.#stepTo(known.value, offset);
      return;
    }
  }

  #stepTo(value: string, offset: number): void {
    this.#steps ??= new Uint8Array(BLOCKS).fill(WINDOW - BLOCK + 1);
    for (let last = offset + BLOCK - 1; last < offset + WINDOW; last += 1) {
      const block = blockAt(value, last);
      this.#steps[block] = Math.min(this.#steps[block] ?? 0, offset + WINDOW - 1 - last);
    }
  }
}

function occurrenceOf({ value, head, kind }: Known, text: string, start: number): Finding | undefined {
  if (!text.startsWith(head, start)) return undefined;
  let end = start + head.length;
  while (text.charCodeAt(end) === value.charCodeAt(end - start)) end += 1;
  if (value.length < FREE_CHARS && (isWordAt(text, start - 1) || isWordAt(text, end))) return undefined;
  if (HEX.test(value)) {
    if (isHexAt(text, start - 1) || isHexAt(text, end)) return undefined;
    if (NAMES_A_HASH.test(text.slice(Math.max(0, start - BEFORE_CHARS), start))) return undefined;
  }
  return { start, end, kind, general: true };
}

/** Hash of the block that ends with `last`. */
function blockAt(text: string, last: number): number {
  const [one, two] = [text.charCodeAt(last - 2), text.charCodeAt(last - 1)];
  return ((one << 10) ^ (two << 5) ^ text.charCodeAt(last)) & (BLOCKS - 1);
}

function hashAt(text: string, at: number): number {
  let hash = 0;
  for (let index = at; index < at + WINDOW; index += 1)
    hash = (Math.imul(hash, 0x01000193) + text.charCodeAt(index)) | 0;
  return hash;
}

const WORD = /[\p{L}\p{N}_]/u;
const isWordAt = (text: string, at: number) => WORD.test(text.charAt(at));
const isHexAt = (text: string, at: number) => HEX.test(text.charAt(at));
