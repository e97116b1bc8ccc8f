import type { Sql } from '../db/sql.js';

/** Vectors per row: 16 KB at 512 dimensions, so that filing a source rewrites little. */
const BLOCK = 256;

/** For each wanted slot, this many codes are compared with the query's numbers, not only with its signs. */
const ROUGH_FACTOR = 5;

/** One bit per dimension, in whole 32-bit words. */
function codeBytes(dimension: number): number {
  return Math.ceil(dimension / 32) * 4;
}

/** The sign of each number. Never empty, as the code of a slot without a vector is: the largest number counts as positive. */
function codeOf(vector: Float32Array): Uint8Array {
  const code = new Uint8Array(codeBytes(vector.length));
  for (let i = 0, at = 0; i < vector.length; at += 1) {
    let byte = 0;
    for (let bit = 1; bit < 256; bit <<= 1, i += 1) if ((vector[i] ?? 0) > 0) byte |= bit;
    code[at] = byte;
  }
  if (isEmpty(code)) {
    const largest = vector.indexOf(Math.max(...vector));
    code[largest >> 3] = 1 << (largest & 7);
  }
  return code;
}

interface BlockRow {
  block: number;
  codes: Buffer;
}

/**
 * The codes of all vectors, packed by slot (a vector's id). Comparing signs estimates similarity with a thirtieth of the
 * bytes; the best candidates are then compared exactly. (`npm run bench:search`, 100,000 vectors of 512 dimensions,
 * including the exact comparison: a quarter of the time of vec0's exact scan, and of its scan of bits.)
 */
export class Codes {
  #read: { version: unknown; rows: BlockRow[] } | undefined;

  constructor(private readonly sql: Sql) {}

  /** @param vector undefined for a free slot */
  put(slot: number, vector: Float32Array | undefined): void {
    const block = Math.floor(slot / BLOCK);
    const stored = this.#stored(block);
    const code = vector === undefined ? undefined : codeOf(vector);
    if (stored === undefined && code === undefined) return;
    const codes = stored ?? Buffer.alloc(BLOCK * (code?.length ?? 0));
    const bytes = codes.length / BLOCK;
    const at = (slot % BLOCK) * bytes;
    codes.fill(0, at, at + bytes);
    if (code !== undefined) codes.set(code, at);
    this.sql.run(
      'INSERT INTO codes(block, codes) VALUES (?, ?) ON CONFLICT DO UPDATE SET codes = excluded.codes',
      block,
      codes,
    );
  }

  rebuild(): void {
    this.sql.write(() => {
      this.sql.exec('DELETE FROM codes');
      for (const { block, codes } of this.#made())
        this.sql.run('INSERT INTO codes(block, codes) VALUES (?, ?)', block, codes);
    });
  }

  /**
   * Number of blocks that differ from the codes of their vectors.
   *
   * @param most compares at most this many blocks, evenly spread; default: all
   */
  wrong(most = Number.POSITIVE_INFINITY): number {
    let wrong = 0;
    for (const { block, codes } of this.#made(most))
      if (!(this.#stored(block)?.equals(codes) ?? isEmpty(codes))) wrong += 1;
    return wrong;
  }

  #stored(block: number): Buffer | undefined {
    return this.sql.value<Buffer>('SELECT codes FROM codes WHERE block = ?', block);
  }

  /** Number of slots with a vector. */
  count(): number {
    let count = 0;
    for (const { codes } of this.#all()) {
      const bytes = codes.length / BLOCK;
      for (let at = 0; at < codes.length; at += bytes)
        if (codes[at] !== 0 || !isEmpty(codes.subarray(at, at + bytes))) count += 1;
    }
    return count;
  }

  /** Whether the last vector has a block. */
  coverLastVector(): boolean {
    const last = this.sql.value<number | null>('SELECT max(vector_id) FROM embeddings') ?? null;
    return last === null || this.#stored(Math.floor(last / BLOCK)) !== undefined;
  }

  /** A reader caches the codes (64 bytes per vector) until another connection writes: reading takes longer than comparing. */
  #all(): BlockRow[] {
    // Read before the rows: a write in between causes another read, and is never missed.
    const version = this.sql.readonly ? this.sql.pragma('data_version') : undefined;
    if (version !== undefined && version === this.#read?.version) return this.#read.rows;
    const rows = this.sql.all<BlockRow>('SELECT block, codes FROM codes ORDER BY block');
    this.#read = version === undefined ? undefined : { version, rows };
    return rows;
  }

  *#made(most = Number.POSITIVE_INFINITY): Generator<BlockRow> {
    const within = 'SELECT vector_id AS id, embedding FROM embeddings WHERE vector_id >= ? AND vector_id < ?';
    // In SQLite, a bare column next to max() comes from the row with the maximum.
    const last = this.sql.get<{ id: number | null; dimension: number }>(
      'SELECT max(vector_id) AS id, length(embedding) / 4 AS dimension FROM embeddings',
    );
    const bytes = codeBytes(last?.dimension ?? 0);
    const step = Math.max(1, Math.ceil(((last?.id ?? -1) + 1) / BLOCK / most));
    for (let block = 0; block * BLOCK <= (last?.id ?? -1); block += step) {
      const codes = Buffer.alloc(BLOCK * bytes);
      const from = block * BLOCK;
      for (const { id, embedding } of this.sql.all<{ id: number; embedding: Buffer }>(
        within,
        from,
        from + BLOCK,
      ))
        codes.set(codeOf(floatsOf(embedding)), (id % BLOCK) * bytes);
      yield { block, codes };
    }
  }

  /**
   * The slots with a vector whose codes are most similar to the query, in ascending order, among those with the fewest
   * differing signs.
   *
   * @param among indexed by slot: 1 if it may be returned; default: all
   */
  nearest(query: Float32Array, count: number, among?: Uint8Array): number[] {
    const code = codeOf(query);
    const bytes = code.length;
    const ofEmpty = code.reduce((sum, byte) => sum + bitsOf(byte), 0);
    const rows = this.#all();
    const histogram = new Uint32Array(bytes * 8 + 1);
    const distances = new Uint16Array(rows.length * BLOCK);
    for (const [index, { block, codes }] of rows.entries()) {
      const some = distances.subarray(index * BLOCK, (index + 1) * BLOCK);
      countDifferingBits(code, codes, some);
      excludeEmpty(some, codes, ofEmpty);
      tally(some, histogram, among?.subarray(block * BLOCK, (block + 1) * BLOCK));
    }
    const limit = distanceOf(histogram, count * ROUGH_FACTOR);
    const slots: number[] = [];
    const alike: number[] = [];
    const likeness = likenessTo(query, bytes);
    for (const [index, { block, codes }] of rows.entries()) {
      for (const i of upTo(limit, distances.subarray(index * BLOCK, (index + 1) * BLOCK))) {
        slots.push(block * BLOCK + i);
        alike.push(likeness(codes, i * bytes));
      }
    }
    const least = Float64Array.from(alike).sort().at(-count) ?? Number.NEGATIVE_INFINITY;
    return slots.filter((_, i) => (alike[i] as number) >= least).slice(0, count);
  }
}

/**
 * The number of bits in which each code of a block differs from the query's. Bits are summed in pairs, nibbles, bytes and
 * 16-bit halves; `| 0` keeps the compiler within 32-bit integers. (WebAssembly takes 1 ms for 100,000 codes instead of
 * 3–6, but its module had to be assembled by hand.)
 *
 * @param distances receives one number per code
 */
export function countDifferingBits(query: Uint8Array, codes: Uint8Array, distances: Uint16Array): void {
  const wanted = wordsOf(query);
  const words = wordsOf(codes);
  let at = 0;
  for (let i = 0; i < distances.length; i += 1) {
    let halves = 0;
    for (let j = 0; j < wanted.length; j += 1, at += 1) {
      let bits = (words[at] as number) ^ (wanted[j] as number);
      bits = (bits - ((bits >>> 1) & 0x55555555)) | 0;
      bits = ((bits & 0x33333333) + ((bits >>> 2) & 0x33333333)) | 0;
      bits = (bits + (bits >>> 4)) & 0x0f0f0f0f;
      halves = (halves + (bits & 0x00ff00ff) + ((bits >>> 8) & 0x00ff00ff)) | 0;
    }
    distances[i] = (halves & 0xffff) + (halves >>> 16);
  }
}

/** The same bytes as 32-bit words, copied when they are not aligned. */
function wordsOf(bytes: Uint8Array): Int32Array {
  const aligned = bytes.byteOffset % 4 === 0 ? bytes : new Uint8Array(bytes);
  return new Int32Array(aligned.buffer, aligned.byteOffset, aligned.byteLength / 4);
}

/** Greater than any distance. */
const EXCLUDED = 0xffff;

/** Sets the distance of slots without a vector to `EXCLUDED`. @param ofEmpty distance of an empty code */
function excludeEmpty(distances: Uint16Array, codes: Uint8Array, ofEmpty: number): void {
  const bytes = codes.length / distances.length;
  for (let i = 0; i < distances.length; i += 1)
    if (distances[i] === ofEmpty && isEmpty(codes.subarray(i * bytes, (i + 1) * bytes)))
      distances[i] = EXCLUDED;
}

function isEmpty(code: Uint8Array): boolean {
  return code.every((byte) => byte === 0);
}

function bitsOf(byte: number): number {
  let bits = 0;
  for (let rest = byte; rest !== 0; rest &= rest - 1) bits += 1;
  return bits;
}

/** The smallest distance that includes `count` codes. */
function distanceOf(histogram: Uint32Array, count: number): number {
  let sum = 0;
  for (let distance = 0; distance < histogram.length; distance += 1) {
    sum += histogram[distance] ?? 0;
    if (sum >= count) return distance;
  }
  return histogram.length - 1;
}

/** Indices of distances up to the limit. */
function upTo(limit: number, distances: Uint16Array): number[] {
  const places: number[] = [];
  for (let i = 0; i < distances.length; i += 1) if ((distances[i] as number) <= limit) places.push(i);
  return places;
}

/** Counts distances; sets those of excluded slots to `EXCLUDED`. */
function tally(distances: Uint16Array, histogram: Uint32Array, among: Uint8Array | undefined): void {
  for (let i = 0; i < distances.length; i += 1) {
    const distance = distances[i] as number;
    if (distance === EXCLUDED || (among !== undefined && among[i] !== 1)) distances[i] = EXCLUDED;
    else histogram[distance] = (histogram[distance] as number) + 1;
  }
}

/** Similarity of a code: the sum of the query's numbers whose bits are set, looked up byte by byte. */
function likenessTo(query: Float32Array, bytes: number): (codes: Uint8Array, at: number) => number {
  const table = new Float32Array(bytes * 256);
  for (let byte = 0; byte < bytes; byte += 1) {
    for (let value = 1; value < 256; value += 1) {
      const lowest = 31 - Math.clz32(value & -value);
      table[byte * 256 + value] =
        (table[byte * 256 + (value & (value - 1))] as number) + (query[byte * 8 + lowest] ?? 0);
    }
  }
  return (codes, at) => {
    let sum = 0;
    for (let byte = 0; byte < bytes; byte += 1)
      sum += table[byte * 256 + (codes[at + byte] as number)] as number;
    return sum;
  };
}

export function floatsOf(blob: Buffer): Float32Array {
  if (blob.byteOffset % 4 === 0) return new Float32Array(blob.buffer, blob.byteOffset, blob.byteLength / 4);
  return new Float32Array(blob.buffer.slice(blob.byteOffset, blob.byteOffset + blob.byteLength));
}
