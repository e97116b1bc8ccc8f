import { findAssignments } from './assignments.js';
import { findPrivateKeys, hidePrivate } from './blocks.js';
import type { Finding } from './findings.js';
import { replace, settle } from './findings.js';
import { findByRules } from './rules.js';
import { findBySecretlint, mayHoldSecret } from './secretlint.js';
import { cleanStructure } from './values.js';

export { addCounts } from './findings.js';

/**
 * Version of what the sanitiser does to a text. To be raised with every change to its output, however small
 * (a rule, a threshold, secretlint's version): filed sources are made again when it differs.
 */
export const SANITISER_VERSION = 1;

export interface Sanitised {
  text: string;
  /** How many of each kind were replaced: `private` for blocks in `<private>`, else the marker's kind. */
  redacted: Record<string, number>;
}

/** What every byte passes before it is staged or filed. */
export interface Sanitiser {
  /** `SANITISER_VERSION`; 0 when redaction is off. */
  readonly version: number;
  /**
   * The text with `<private>…</private>` as `[PRIVATE]` and each secret as `[REDACTED:<kind>]`; key names, quotes
   * and everything else stay character by character. Clean text comes back unchanged with nothing counted.
   */
  clean(text: string): Promise<Sanitised>;
  /**
   * A JSON value with every string in it cleaned. Keys give context: in `{"password": "x…"}` the value is
   * replaced. The same structure comes back; the argument is not changed.
   */
  cleanValue(value: unknown): Promise<{ value: unknown; redacted: Record<string, number> }>;
}

/** Redaction as asked for; `redact: false` gives a sanitiser that changes nothing. */
export async function createSanitiser(options: { redact: boolean }): Promise<Sanitiser> {
  if (!options.redact) {
    return {
      version: 0,
      clean: async (text) => ({ text, redacted: {} }),
      cleanValue: async (value) => ({ value, redacted: {} }),
    };
  }
  return { version: SANITISER_VERSION, clean, cleanValue: (value) => cleanStructure(value, clean) };
}

/** A replacement can lay bare another secret (one that was glued to it), hardly ever more than one or two. */
const MAX_PASSES = 8;

async function clean(original: string): Promise<Sanitised> {
  const redacted: Record<string, number> = {};
  let text = original;
  for (let pass = 0; pass < MAX_PASSES; pass++) {
    const shown = hidePrivate(text, redacted);
    const settled = settle(shown, await find(shown));
    text = settled.length === 0 ? shown : replace(shown, settled, redacted);
    if (settled.length === 0) break;
  }
  return { text, redacted };
}

async function find(text: string): Promise<Finding[]> {
  const own = [...findPrivateKeys(text), ...findByRules(text), ...findAssignments(text)];
  return mayHoldSecret(text) ? own.concat(await findBySecretlint(text)) : own;
}
