import type { Sql } from './sql.js';

/** Vectors whose codes lie in one row: 16 KB at 512 dimensions, so filing a source rewrites little. */
const BLOCK = 256;

/** Slots with the fewest differing bits, best first. */
export interface CodeNeighbour {
  slot: number;
  /** Number of signs that differ. */
  distance: number;
}

/** Bytes of a code: a bit for each number of the vector, whole 32-bit words. */
function codeBytes(dimension: number): number {
  return Math.ceil(dimension / 32) * 4;
}

/** A vector's code: the sign of each of its numbers. */
function codeOf(vector: Float32Array): Uint8Array {
  const code = new Uint8Array(codeBytes(vector.length));
  for (let i = 0, at = 0; i < vector.length; at += 1) {
    let byte = 0;
    for (let bit = 1; bit < 256; bit <<= 1, i += 1) if ((vector[i] ?? 0) > 0) byte |= bit;
    code[at] = byte;
  }
  return code;
}

/**
 * The codes of all vectors, packed by slot (a vector's id). Comparing signs says roughly how near two
 * vectors are in a thirtieth of the bytes; the best are then compared exactly. (Measured at 100,000 vectors
 * of 512 dimensions: 4 ms, against 50 for an exact scan; vec0's bit columns took 42 ms for 200 candidates,
 * most of it for keeping the best.)
 */
export class Codes {
  readonly #sql: Sql;
  readonly #dimension: () => number;

  /** @param dimension of the vectors that are in force now */
  constructor(sql: Sql, dimension: () => number) {
    this.#sql = sql;
    this.#dimension = dimension;
  }

  /** Writes the code of a slot; all zeros for a slot that is free. */
  put(slot: number, vector: Float32Array | undefined): void {
    const block = Math.floor(slot / BLOCK);
    const row = this.#sql.prepare<{ codes: Buffer }>('SELECT codes FROM codes WHERE block = ?').get(block);
    const bytes = codeBytes(this.#dimension());
    const codes = row?.codes ?? Buffer.alloc(BLOCK * bytes);
    const at = (slot % BLOCK) * bytes;
    if (vector === undefined) codes.fill(0, at, at + bytes);
    else codes.set(codeOf(vector), at);
    this.#sql
      .prepare(
        'INSERT INTO codes(block, codes) VALUES (?, ?) ON CONFLICT DO UPDATE SET codes = excluded.codes',
      )
      .run(block, codes);
  }

  /** Makes all codes anew from the vectors. */
  rebuild(): void {
    this.#sql.write(() => {
      this.#sql.exec('DELETE FROM codes');
      const insert = this.#sql.prepare('INSERT INTO codes(block, codes) VALUES (?, ?)');
      for (const { block, codes } of this.#made()) insert.run(block, codes);
    });
  }

  /** Number of blocks that are not what the vectors make of them. */
  wrong(): number {
    const kept = this.#sql.prepare<{ codes: Buffer }>('SELECT codes FROM codes WHERE block = ?');
    let wrong = 0;
    for (const { block, codes } of this.#made()) {
      if (kept.get(block)?.codes.equals(codes) !== true) wrong += 1;
    }
    return wrong;
  }

  *#made(): Generator<{ block: number; codes: Buffer }> {
    const bytes = codeBytes(this.#dimension());
    const within = this.#sql.prepare<{ id: number; embedding: Buffer }>(
      'SELECT vector_id AS id, embedding FROM embeddings WHERE vector_id >= ? AND vector_id < ?',
    );
    const last = this.#sql
      .prepare<{ id: number | null }>('SELECT max(vector_id) AS id FROM embeddings')
      .get();
    for (let block = 0; block * BLOCK <= (last?.id ?? -1); block += 1) {
      const codes = Buffer.alloc(BLOCK * bytes);
      for (const { id, embedding } of within.all(block * BLOCK, (block + 1) * BLOCK))
        codes.set(codeOf(floatsOf(embedding)), (id % BLOCK) * bytes);
      yield { block, codes };
    }
  }

  /**
   * The slots whose codes differ least from the query's, in one pass over all codes.
   *
   * @param among a byte for each slot, 1 where it may be returned; default: all of them
   */
  nearest(query: Float32Array, count: number, among?: Uint8Array): CodeNeighbour[] {
    const wanted = wordsOf(codeOf(query));
    const found: { slots: number; distances: Uint16Array }[] = [];
    const histogram = new Uint32Array(wanted.length * 32 + 1);
    const blocks = this.#sql.prepare<{ block: number; codes: Buffer }>(
      'SELECT block, codes FROM codes ORDER BY block',
    );
    for (const { block, codes } of blocks.all()) {
      const distances = distancesTo(wanted, codes);
      const first = block * BLOCK;
      for (let i = 0; i < BLOCK; i += 1) {
        if (among !== undefined && among[first + i] !== 1) distances[i] = EXCLUDED;
        else histogram[distances[i] ?? 0] = (histogram[distances[i] ?? 0] ?? 0) + 1;
      }
      found.push({ slots: first, distances });
    }
    const limit = distanceOf(histogram, count);
    const nearest: CodeNeighbour[] = [];
    for (const { slots, distances } of found) {
      distances.forEach((distance, i) => {
        if (distance <= limit) nearest.push({ slot: slots + i, distance });
      });
    }
    return nearest.sort((a, b) => a.distance - b.distance || a.slot - b.slot).slice(0, count);
  }
}

/** Greater than any distance. */
const EXCLUDED = 0xffff;

/** The distance up to which at least `count` were counted. */
function distanceOf(histogram: Uint32Array, count: number): number {
  let sum = 0;
  for (let distance = 0; distance < histogram.length; distance += 1) {
    sum += histogram[distance] ?? 0;
    if (sum >= count) return distance;
  }
  return histogram.length - 1;
}

/** Differing bits between the query and each code of a block. The inner loop runs millions of times a search. */
function distancesTo(query: Uint32Array, codes: Buffer): Uint16Array {
  const words = wordsOf(codes);
  const width = query.length;
  const distances = new Uint16Array(words.length / width);
  for (let i = 0, at = 0; i < distances.length; i += 1) {
    let sum = 0;
    for (let j = 0; j < width; j += 1, at += 1) {
      // Bits are added up in pairs, then nibbles, then bytes; the product adds the four bytes.
      let bits = (words[at] as number) ^ (query[j] as number);
      bits -= (bits >>> 1) & 0x55555555;
      bits = (bits & 0x33333333) + ((bits >>> 2) & 0x33333333);
      bits = (bits + (bits >>> 4)) & 0x0f0f0f0f;
      sum += Math.imul(bits, 0x01010101) >>> 24;
    }
    distances[i] = sum;
  }
  return distances;
}

/** The same bytes as 32-bit words; copied when they do not lie on a word's border. */
function wordsOf(bytes: Uint8Array): Uint32Array {
  const aligned = bytes.byteOffset % 4 === 0 ? bytes : new Uint8Array(bytes);
  return new Uint32Array(aligned.buffer, aligned.byteOffset, aligned.byteLength / 4);
}

export function floatsOf(blob: Buffer): Float32Array {
  if (blob.byteOffset % 4 === 0) return new Float32Array(blob.buffer, blob.byteOffset, blob.byteLength / 4);
  return new Float32Array(blob.buffer.slice(blob.byteOffset, blob.byteOffset + blob.byteLength));
}
