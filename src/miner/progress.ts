/** How far a run is. */
export interface MineProgress {
  /** Of all new and changed sources: those that are filed, or were passed over. */
  sources: number;
  sourcesTotal: number;
  /** Bytes of these sources that the work done so far stands for; `bytesTotal` when all of it is done. */
  bytes: number;
  bytesTotal: number;
  /** Texts that were embedded. */
  embedded: number;
  /** Drawers that were filed. */
  drawers: number;
}

/** What reading and cutting a byte takes, compared to embedding a character. */
const READING = 0.01;
/** Until sources were read, a byte counts as a character to embed; so many bytes are believed to have shown that. */
const BELIEVED_BYTES = 16 * 1024;

/**
 * The work of a run, in characters to embed: known for the sources that were read, expected of the others from what
 * those before them came to. (Text that has a vector already, or long tool output, costs next to nothing.)
 */
export class Workload {
  readonly #bytesTotal: number;
  /** Of sources that were read to their end, and what they asked the embedder for. */
  #read = 0;
  #asked = 0;

  constructor(bytesTotal: number) {
    this.#bytesTotal = bytesTotal;
  }

  /** A source was read to its end. @param asked characters that all sources so far asked for */
  finish(bytes: number, asked: number): void {
    this.#read += bytes;
    this.#asked = asked;
  }

  /**
   * @param current bytes of the source that is being read; 0 for none
   * @param asked characters asked for so far, those of the current source included
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
