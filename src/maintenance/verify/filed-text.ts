/** Compares a text that comes in stretches with one that is kept in others, without holding either. */
export class FiledText {
  readonly #pieces: Iterator<string>;
  #held = '';
  #same = true;

  constructor(pieces: Iterable<string>) {
    this.#pieces = pieces[Symbol.iterator]();
  }

  /** The next stretch of the other text. */
  meet(text: string): void {
    let rest = text;
    while (this.#same && rest !== '') {
      if (this.#held === '' && !this.#more()) {
        this.#same = false;
        return;
      }
      const length = Math.min(rest.length, this.#held.length);
      this.#same = this.#held.startsWith(rest.slice(0, length));
      this.#held = this.#held.slice(length);
      rest = rest.slice(length);
    }
  }

  /** Whether both were the same to their ends. */
  end(): boolean {
    return this.#same && this.#held === '' && !this.#more();
  }

  #more(): boolean {
    while (this.#held === '') {
      const next = this.#pieces.next();
      if (next.done === true) return false;
      this.#held = next.value;
    }
    return true;
  }
}
