export interface MineProgress {
  /** New and changed sources that are filed or skipped. */
  sources: number;
  sourcesTotal: number;
  /** The share of the work that is done, in bytes of these sources. */
  bytes: number;
  bytesTotal: number;
  /** Number of embedded texts. */
  embedded: number;
  /** Number of filed drawers. */
  drawers: number;
}

/** The cost of reading and chunking a byte, relative to embedding a character. */
const READING = 0.01;
/** Weight of the initial estimate, one character to embed per byte. */
const BELIEVED_BYTES = 16 * 1024;

/**
 * The work of a run, in characters to embed: known for the sources that were read, estimated from them for the others.
 * (Text that already has a vector, or long tool output, costs almost nothing.)
 */
export class Workload {
  readonly #bytesTotal: number;
  /** Bytes of completely read sources, and the characters that they requested. */
  #read = 0;
  #asked = 0;

  constructor(bytesTotal: number) {
    this.#bytesTotal = bytesTotal;
  }

  /** Records a completely read source. @param asked characters requested by all sources so far */
  finish(bytes: number, asked: number): void {
    this.#read += bytes;
    this.#asked = asked;
  }

  /**
   * @param current bytes of the source that is being read, or 0
   * @param asked characters requested so far, including the current source
   * @param embedded characters embedded so far
   * @returns bytes done, of the run's total
   */
  bytesDone(current: number, asked: number, embedded: number): number {
    const ratio = (this.#asked + BELIEVED_BYTES) / (this.#read + BELIEVED_BYTES);
    const ofCurrent = Math.max(asked - this.#asked, ratio * current);
    const unread = Math.max(0, this.#bytesTotal - this.#read - current);
    const done = embedded + READING * this.#read;
    const all = this.#asked + ofCurrent + ratio * unread + READING * this.#bytesTotal;
    return all === 0 ? this.#bytesTotal : Math.min(1, done / all) * this.#bytesTotal;
  }
}
