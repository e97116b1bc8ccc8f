import { statSync } from 'node:fs';
import { Palace, palaceFile } from '../store/index.js';

/** The palace, opened for reading once; anew when another file lies there. */
export class PalaceHandle {
  readonly #folder: string;
  #open: { palace: Palace; file: string } | undefined;

  constructor(folder: string) {
    this.#folder = folder;
  }

  /** @throws UserError as `Palace.read` does */
  get(): Palace {
    const file = this.#file();
    if (this.#open !== undefined && this.#open.file === file) return this.#open.palace;
    this.close();
    const palace = Palace.read(this.#folder);
    this.#open = { palace, file: this.#file() };
    return palace;
  }

  /** Opens it anew whatever lies there. Throws as `get` does. */
  again(): Palace {
    this.close();
    return this.get();
  }

  close(): void {
    this.#open?.palace.close();
    this.#open = undefined;
  }

  /** Tells one file from another; empty where there is none. */
  #file(): string {
    const stat = statSync(palaceFile(this.#folder), { throwIfNoEntry: false });
    return stat === undefined ? '' : `${stat.dev}:${stat.ino}`;
  }
}
