import { Palace, palaceExists } from '../../../store/index.js';

/** Readers do not wait for runs, and an agent should not wait for any other lock. */
const PALACE_MS = 250;

/** The palace as it is, opened at most once and only when it is needed. */
export class Look {
  #palace: Palace | undefined;

  /** @param folder undefined: the palace is not on this machine */
  constructor(private readonly folder: string | undefined) {}

  /**
   * Undefined if there is no palace.
   *
   * @throws UserError as `Palace.read` does
   */
  get palace(): Palace | undefined {
    if (this.#palace === undefined && this.folder !== undefined && palaceExists(this.folder))
      this.#palace = Palace.read(this.folder, { waitMs: PALACE_MS, migrate: false });
    return this.#palace;
  }

  close(): void {
    this.#palace?.close();
  }
}
