import { sha256 } from '../common/hash.js';
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

/** Texts that `pattern` (JavaScript, flags `gu`) matches are replaced by `[REDACTED:<kind>]`. */
export interface OwnRule {
  /** Lower case with digits and dashes. */
  kind: string;
  /** Neither matches the empty text nor takes longer the more it fails; the configuration checks both. */
  pattern: string;
}

export interface Sanitised {
  text: string;
  /** How many of each kind were replaced: `private` for blocks in `<private>`, else the marker's kind. */
  redacted: Record<string, number>;
}

/** What every byte passes before it is staged or filed. */
export interface Sanitiser {
  /** `SANITISER_VERSION`, with a fraction that depends on the user's own rules; 0 when redaction is off. */
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

/**
 * Redaction as asked for; `redact: false` gives a sanitiser that changes nothing.
 *
 * @param options.rules the user's own, in addition to the built-in ones
 * @throws SyntaxError when one of their patterns is no regular expression
 */
export async function createSanitiser(options: {
  redact: boolean;
  rules?: readonly OwnRule[];
}): Promise<Sanitiser> {
  const { redact, rules = [] } = options;
  if (!redact) {
    return {
      version: 0,
      clean: async (text) => ({ text, redacted: {} }),
      cleanValue: async (value) => ({ value, redacted: {} }),
    };
  }
  const compiled = rules.map(({ kind, pattern }) => ({ kind, pattern: new RegExp(pattern, 'gu') }));
  const clean = (text: string) => cleanText(text, (shown) => findOwn(shown, compiled));
  return { version: versionWith(rules), clean, cleanValue: (value) => cleanStructure(value, clean) };
}

/** Other rules give another version, so that what is filed is made again; twelve digits of their hash. */
function versionWith(rules: readonly OwnRule[]): number {
  if (rules.length === 0) return SANITISER_VERSION;
  const hash = sha256(JSON.stringify(rules.map(({ kind, pattern }) => [kind, pattern])));
  const digits = BigInt(`0x${hash}`).toString().slice(-12);
  return Number(`${SANITISER_VERSION}.${digits}`);
}

/** A replacement can lay bare another secret (one that was glued to it), hardly ever more than one or two. */
const MAX_PASSES = 8;

async function cleanText(original: string, findMore: (text: string) => Finding[]): Promise<Sanitised> {
  const redacted: Record<string, number> = {};
  let text = original;
  for (let pass = 0; pass < MAX_PASSES; pass++) {
    const shown = hidePrivate(text, redacted);
    const settled = settle(shown, [...findMore(shown), ...(await find(shown))]);
    text = settled.length === 0 ? shown : replace(shown, settled, redacted);
    if (settled.length === 0) break;
  }
  return { text, redacted };
}

function findOwn(text: string, rules: readonly { kind: string; pattern: RegExp }[]): Finding[] {
  return rules.flatMap(({ kind, pattern }) =>
    Array.from(text.matchAll(pattern), ({ 0: match, index }) => ({
      start: index,
      end: index + match.length,
      kind,
    })),
  );
}

async function find(text: string): Promise<Finding[]> {
  const own = [...findPrivateKeys(text), ...findByRules(text), ...findAssignments(text)];
  return mayHoldSecret(text) ? own.concat(await findBySecretlint(text)) : own;
}
