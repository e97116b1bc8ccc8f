import { applyEdits } from './edits.js';
import { addCounts, markersOf, settle } from './findings.js';
import type { SpokenPlace } from './injected.js';
import { KnownSecrets } from './known.js';
import type { Sanitised, Scope, Traced } from './sanitiser.js';
import { cleanStructure } from './values.js';

/** @param trace applies the rules to a text, adds the removed values to `known`, and removes the known ones */
export function newScope(
  version: number,
  trace: (text: string, place: SpokenPlace | undefined, known: KnownSecrets) => Promise<Traced>,
): Scope {
  const known = new KnownSecrets();
  const clean = async (original: string, place?: SpokenPlace) => {
    const { text, redacted } = await trace(original, place, known);
    return { text, redacted };
  };
  const cleanValue = async (value: unknown) => {
    const before = known.size;
    const first = await cleanStructure(value, clean, (secret, kind) => known.learn(secret, kind));
    if (known.size === before) return first;
    // For the strings before the one that contained the secret.
    const again = await cleanStructure(first.value, async (text) => withoutKnown(text, known));
    addCounts(again.redacted, first.redacted);
    return again;
  };
  return {
    version,
    get known() {
      return known.size;
    },
    clean,
    trace: (text, place) => trace(text, place, known),
    cleanValue,
    learn: async (text, place) => void (await trace(text, place, known)),
    learnValue: async (value) => void (await cleanValue(value)),
    containsKnown: (text) => known.find(text).length > 0,
    scope: () => newScope(version, trace),
  };
}

function withoutKnown(text: string, known: KnownSecrets): Sanitised {
  const found = settle(text, known.find(text));
  const redacted: Record<string, number> = {};
  for (const { kind } of found) addCounts(redacted, { [kind]: 1 });
  return { text: applyEdits(text, markersOf(found)), redacted };
}

/** For runs without redaction. */
export const NOTHING_REDACTED: Scope = {
  version: 0,
  known: 0,
  clean: async (text) => ({ text, redacted: {} }),
  trace: async (text) => ({ text, redacted: {}, steps: [] }),
  cleanValue: async (value) => ({ value, redacted: {} }),
  learn: async () => undefined,
  learnValue: async () => undefined,
  containsKnown: () => false,
  scope: () => NOTHING_REDACTED,
};
