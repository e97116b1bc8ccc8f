import { createHash } from 'node:crypto';
import { promisify } from 'node:util';
import { deflateRaw, deflateRawSync } from 'node:zlib';
import type { TextPiece } from '../store/index.js';

const PIECE_CHARS = 256 * 1024;
/** Below this, compressing takes less time than passing the text to another thread. */
const SMALL_CHARS = 64 * 1024;
const deflateAsync = promisify(deflateRaw);

/** Cuts a stream of text into compressed pieces of equal size, so that appended text changes only the last pieces. */
export class PieceBuilder {
  readonly #pieces: TextPiece[] = [];
  #text = '';

  async add(text: string): Promise<void> {
    this.#text += text;
    while (this.#text.length >= PIECE_CHARS) {
      const splitsPair = /[\ud800-\udbff]/.test(this.#text.charAt(PIECE_CHARS - 1));
      const end = splitsPair ? PIECE_CHARS - 1 : PIECE_CHARS;
      await this.#compress(this.#text.slice(0, end));
      this.#text = this.#text.slice(end);
    }
  }

  async finish(): Promise<TextPiece[]> {
    if (this.#text !== '') await this.#compress(this.#text);
    this.#text = '';
    return this.#pieces;
  }

  async #compress(text: string): Promise<void> {
    const bytes = Buffer.from(text, 'utf8');
    this.#pieces.push({
      hash: createHash('sha256').update(bytes).digest(),
      body: text.length < SMALL_CHARS ? deflateRawSync(bytes) : await deflateAsync(bytes),
    });
  }
}
