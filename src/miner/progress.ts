import type { PendingText } from '../store/index.js';
import type { EmbeddingQueue } from './embedding-queue.js';
import type { PlannedSource } from './plan.js';

export interface MineProgress {
  /** New and changed sources that are filed, so that they are found by words, or skipped. */
  sources: number;
  sourcesTotal: number;
  /** The share of the work that is done, in bytes of these sources and of texts that earlier runs did not embed. */
  bytes: number;
  bytesTotal: number;
  embedded: number;
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

export class ProgressReport {
  readonly #work: Workload;
  readonly #bytesTotal: number;
  #asked: number;
  #reading = 0;
  #sources = 0;

  /** @param total sources to read with their bytes, and characters that earlier runs did not embed */
  constructor(
    private readonly total: { sources: number; bytes: number; chars: number },
    private readonly queue: Pick<EmbeddingQueue, 'advance'>,
    private readonly onProgress: (progress: MineProgress) => void = () => {},
  ) {
    this.#bytesTotal = total.bytes + total.chars;
    this.#work = new Workload(this.#bytesTotal);
    this.#work.finish(total.chars, total.chars);
    this.#asked = total.chars;
  }

  reading(bytes: number): void {
    this.#reading += bytes;
  }

  /** Sources are filed or skipped. @param pending their texts without a vector */
  filed(sources: readonly Pick<PlannedSource, 'source'>[], pending: readonly PendingText[]): void {
    this.#sources += sources.length;
    this.#asked += pending.reduce((sum, { text }) => sum + text.length, 0);
    const bytes = sources.reduce((sum, { source }) => sum + source.bytes, 0);
    this.#work.finish(bytes, this.#asked);
    this.#reading -= bytes;
    this.say();
  }

  say(): void {
    const { chars, texts } = this.queue.advance;
    this.onProgress({
      sources: this.#sources,
      sourcesTotal: this.total.sources,
      bytes: this.#work.bytesDone(this.#reading, this.#asked, chars),
      bytesTotal: this.#bytesTotal,
      embedded: texts,
    });
  }
}
