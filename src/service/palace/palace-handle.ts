import { UserError } from '../../core/errors.js';
import { Palace, palaceExists, readingState, SCHEMA_VERSION, storedSchema } from '../../store/index.js';

/** The palace, opened once for reading. It is reopened when another file has replaced it, or another machine writes it. */
export class PalaceHandle {
  #open: { palace: Palace; file: string } | undefined;

  /** @param readOnly refuses a palace of an earlier version, since opening it would upgrade it */
  constructor(
    readonly folder: string,
    private readonly readOnly = false,
  ) {}

  /** @throws UserError as `Palace.read` does */
  get(): Palace {
    const file = this.#file();
    if (this.#open !== undefined && this.#open.file === file) return this.#open.palace;
    this.close();
    if (this.readOnly && file !== '') this.#refuseOlder();
    const palace = Palace.read(this.folder);
    this.#open = { palace, file };
    return palace;
  }

  /** As `get`; undefined if there is no palace yet. */
  ifAny(): Palace | undefined {
    return palaceExists(this.folder) ? this.get() : undefined;
  }

  #refuseOlder(): void {
    const schema = storedSchema(this.folder);
    if (schema === 0 || schema >= SCHEMA_VERSION) return;
    throw new UserError(
      'failed',
      `the palace is of an earlier version (schema ${schema}), and --read-only changes nothing`,
      { hint: 'mempalace status brings it up to date' },
    );
  }

  close(): void {
    this.#open?.palace.close();
    this.#open = undefined;
  }

  /** Identifies the file, and its state if another machine writes it; empty where it cannot be read. */
  #file(): string {
    try {
      return readingState(this.folder);
    } catch {
      // Opening the palace reports why.
      return '';
    }
  }
}
