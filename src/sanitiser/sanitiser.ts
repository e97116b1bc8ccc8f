import type { Edit } from './edits.js';
import type { SpokenPlace } from './injected.js';

export interface Sanitised {
  text: string;
  /** Replacements by kind: `injected`, `private` for `<private>` blocks, or the marker's kind. */
  redacted: Record<string, number>;
}

export interface Traced extends Sanitised {
  /** Lists of edits, applied in order; each refers to the text after the previous list. */
  steps: Edit[][];
}

/** Redacts all text before it is staged or filed. */
export interface Sanitiser {
  /** `SANITISER_VERSION`, with a fraction that depends on the user's own rules; 0 when redaction is off. */
  readonly version: number;
  /**
   * Replaces `<private>…</private>` with `[PRIVATE]` and each secret with `[REDACTED:<kind>]`; everything else, such as
   * key names and quotes, is unchanged. A long and varied secret is removed everywhere in the text, also where no rule
   * would find it.
   *
   * @param place for a user's turn or a tool's result: first removes the elements that programs inject there
   */
  clean(text: string, place?: SpokenPlace): Promise<Sanitised>;
  /** Cleans every string of a JSON value, using keys as context. The argument is not changed. */
  cleanValue(value: unknown): Promise<{ value: unknown; redacted: Record<string, number> }>;
  /** For texts that belong together: a secret found in one of them is removed from all. */
  scope(): Scope;
}

export interface TracingSanitiser extends Sanitiser {
  /** As `clean`, with the edits. */
  trace(text: string, place?: SpokenPlace): Promise<Traced>;
}

/**
 * A sanitiser for texts that belong together, such as a document and its title, or a session and its sub-agents. It
 * removes the secrets of each text from later texts. To remove them from earlier texts too, callers `learn` all texts
 * first, or clean them again when `known` has grown. Secrets are stored only in memory, in the scope.
 */
export interface Scope extends TracingSanitiser {
  /** Number of known secrets; each encoded form counts. */
  readonly known: number;
  /** Remembers the secrets of a text for later calls; `place` as for `clean`. */
  learn(text: string, place?: SpokenPlace): Promise<void>;
  learnValue(value: unknown): Promise<void>;
  /** Whether a text contains a known secret. */
  containsKnown(text: string): boolean;
}
