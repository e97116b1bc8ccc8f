/** Compares two texts that come in pieces of different lengths, without joining the pieces. */
export class FiledText {
  readonly #pieces: Iterator<string>;
  #rest = '';
  #same = true;

  constructor(pieces: Iterable<string>) {
    this.#pieces = pieces[Symbol.iterator]();
  }

  /** Compares the next piece of the other text. */
  compare(piece: string): void {
    let other = piece;
    while (this.#same && other !== '') {
      if (this.#rest === '' && !this.#more()) {
        this.#same = false;
        return;
      }
      const length = Math.min(other.length, this.#rest.length);
      this.#same = this.#rest.startsWith(other.slice(0, length));
      this.#rest = this.#rest.slice(length);
      other = other.slice(length);
    }
  }

  /** Whether both texts are equal. To be called after the last piece. */
  end(): boolean {
    return this.#same && this.#rest === '' && !this.#more();
  }

  #more(): boolean {
    while (this.#rest === '') {
      const next = this.#pieces.next();
      if (next.done === true) return false;
      this.#rest = next.value;
    }
    return true;
  }
}
