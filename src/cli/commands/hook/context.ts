import type { Config } from '../../../config/index.js';
import type { Harness, HookInput } from '../../../hooks/protocol.js';
import { startIn } from '../../../operations/wake-up/start.js';
import { wakeUp } from '../../../operations/wake-up/told.js';
import { Palace, palaceExists } from '../../../store/index.js';

export interface Starting {
  palace: string;
  harness: Harness;
  input: HookInput;
  config: Config;
}

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

/**
 * The wake-up text for a session in the folder `cwd`: from the wing of its project, else what is of that folder. Undefined if
 * there is no palace.
 *
 * @param resumed lines about the state of a session, which precede it within its budget
 * @throws UserError as `Palace.read` does
 */
export function hookContext(
  { palace }: Look,
  { input: { cwd }, config }: Pick<Starting, 'input' | 'config'>,
  resumed: readonly string[] = [],
): string | undefined {
  if (palace === undefined) return undefined;
  return wakeUp(palace, { ...startIn(cwd === undefined ? [] : [cwd], config), before: resumed }).text;
}
