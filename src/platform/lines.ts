const LINE_FEED = 0x0a;

export class Lines {
  #pieces: Buffer[] = [];
  #length = 0;

  /**
   * @param mostBytes a longer line is not stored
   * @param onLine gets each line that is not empty, without white space around it; undefined for one that is too long
   */
  constructor(
    private readonly mostBytes: number,
    private readonly onLine: (text: string | undefined) => void,
  ) {}

  take(chunk: Buffer): void {
    let from = 0;
    for (let at = chunk.indexOf(LINE_FEED); at !== -1; at = chunk.indexOf(LINE_FEED, from)) {
      this.#keep(chunk.subarray(from, at));
      this.end();
      from = at + 1;
    }
    this.#keep(chunk.subarray(from));
  }

  /** Ends the current line. The last one may lack a line feed, as from `printf`. */
  end(): void {
    const text = Buffer.concat(this.#pieces).toString('utf8').trim();
    const overlong = this.#length > this.mostBytes;
    this.#pieces = [];
    this.#length = 0;
    if (overlong) this.onLine(undefined);
    else if (text !== '') this.onLine(text);
  }

  #keep(piece: Buffer): void {
    this.#length += piece.length;
    if (this.#length > this.mostBytes) this.#pieces = [];
    else this.#pieces.push(piece);
  }
}
