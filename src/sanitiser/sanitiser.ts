import type { Edit } from './edits.js';
import type { SpokenPlace } from './injected.js';

export interface Sanitised {
  text: string;
  /**
   * How many of each kind were replaced: `injected` for what a harness put in, `private` for blocks in `<private>`,
   * else the marker's kind.
   */
  redacted: Record<string, number>;
}

/** A cleaned text, and how it came about. */
export interface Traced extends Sanitised {
  /** Edits to be applied one list after the other; each list speaks of the text that the one before it left. */
  steps: Edit[][];
}

/** What every byte passes before it is staged or filed. */
export interface Sanitiser {
  /** `SANITISER_VERSION`, with a fraction that depends on the user's own rules; 0 when redaction is off. */
  readonly version: number;
  /**
   * The text with `<private>…</private>` as `[PRIVATE]` and each secret as `[REDACTED:<kind>]`; key names, quotes
   * and everything else stay character by character. Clean text comes back unchanged with nothing counted. A secret
   * that is long and varied goes wherever it stands in the text, also where no rule would find it.
   *
   * @param place of what a user said, or a tool gave back: first, what a harness injected is taken out
   */
  clean(text: string, place?: SpokenPlace): Promise<Sanitised>;
  /**
   * A JSON value with every string in it cleaned. Keys give context: in `{"password": "x…"}` the value is
   * replaced. The same structure comes back; the argument is not changed.
   */
  cleanValue(value: unknown): Promise<{ value: unknown; redacted: Record<string, number> }>;
  /** For texts that belong together: a secret that is found in one of them goes in all. */
  scope(): Scope;
}

/** A sanitiser that also says what it did. */
export interface TracingSanitiser extends Sanitiser {
  /** As `clean` does, with the edits. */
  trace(text: string, place?: SpokenPlace): Promise<Traced>;
}

/**
 * The sanitiser of texts that belong together, such as a document with its title, or a session with those of its
 * sub-agents. Each text that it cleans gives away secrets for the ones that come after. So that they go from the ones
 * before as well, all texts are learned from first, or cleaned again when `known` has grown since.
 *
 * What it knows is kept in memory alone, and as long as the scope is.
 */
export interface Scope extends TracingSanitiser {
  /** How many values are looked for; each way to write one counts. */
  readonly known: number;
  /** Remembers the secrets of a text that `clean` is going to get, with the same `place`. */
  learn(text: string, place?: SpokenPlace): Promise<void>;
  /** Remembers the secrets of a value that `cleanValue` is going to get. */
  learnValue(value: unknown): Promise<void>;
  /** Whether one of the values is in a text as it is. */
  standsIn(text: string): boolean;
}
