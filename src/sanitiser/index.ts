import { sha256 } from '../core/hash.js';
import { ASSIGNMENTS } from './assignments.js';
import { findPrivate, findPrivateKeys } from './blocks.js';
import { applyEdits, type Edit, movedPlaces } from './edits.js';
import { findAcrossSequences } from './escape-sequences.js';
import { combined } from './finder.js';
import { addCounts, type Finding, markersOf, settle } from './findings.js';
import { AUTHORIZATION, COOKIES } from './headers.js';
import { findInjected, type SpokenPlace } from './injected.js';
import { KEY_NAMES } from './key-names.js';
import type { KnownSecrets } from './known.js';
import { KUBERNETES } from './kubernetes.js';
import { ANCHORED, findShapes } from './rules.js';
import type { Traced, TracingSanitiser } from './sanitiser.js';
import { NOTHING_REDACTED, newScope } from './scope.js';
import { findBySecretlint } from './secretlint.js';
import { INSERTS, TABLES } from './tables.js';
import { TOKENS } from './tokens.js';
import { type Window, windowsAround } from './windows.js';

export { findQuotes, isEchoLine, readsPalace, withoutQuotes } from './echoes.js';
export { applyEdits, movedPlaces } from './edits.js';
export { addCounts } from './findings.js';
export type { SpokenPlace } from './injected.js';
export { cleanPath, cleanPaths } from './names.js';
export type { Sanitiser, Scope, Traced, TracingSanitiser } from './sanitiser.js';

/**
 * Raise this with every change of the output, however small (a rule, a threshold, secretlint's version): sources filed
 * with another version are filed again.
 */
export const SANITISER_VERSION = 8;

/**
 * @param options.redact false for a sanitiser that changes nothing
 * @param options.rules the user's own, in addition to the built-in ones: matches of `pattern` (JavaScript, flags `gu`) are
 *   replaced by `[REDACTED:<kind>]`. The configuration checks that it is safe
 * @throws SyntaxError when one of their patterns is invalid
 */
export async function createSanitiser(options: {
  redact: boolean;
  rules?: readonly { kind: string; pattern: string }[];
}): Promise<TracingSanitiser> {
  const { redact, rules = [] } = options;
  if (!redact) return NOTHING_REDACTED;
  const compiled = rules.map(({ kind, pattern }) => ({ kind, pattern: new RegExp(pattern, 'gu') }));
  const version = versionWith(rules);
  const scope = () => newScope(version, (text, place, known) => traceText(text, place, compiled, known));
  return {
    version,
    clean: (text, place) => scope().clean(text, place),
    trace: (text, place) => scope().trace(text, place),
    cleanValue: (value) => scope().cleanValue(value),
    scope,
  };
}

/** The version includes twelve digits of the rules' hash, so that sources are filed again when the rules change. */
function versionWith(rules: readonly { kind: string; pattern: string }[]): number {
  if (rules.length === 0) return SANITISER_VERSION;
  const hash = sha256(JSON.stringify(rules.map(({ kind, pattern }) => [kind, pattern])));
  return Number(`${SANITISER_VERSION}.${BigInt(`0x${hash}`).toString().slice(-12)}`);
}

/** A replacement can expose an adjacent secret, rarely more than one or two. */
const MAX_PASSES = 8;

/** Removes only the injected elements from a user's turn. */
export function withoutInjected(turn: string): string {
  return takeInjected(turn, 'turn').text;
}

/** Repeats, since a removal can join the tags of another element. */
function takeInjected(original: string, place: SpokenPlace): { text: string; steps: Edit[][] } {
  const steps: Edit[][] = [];
  let text = original;
  for (let pass = 0; pass < MAX_PASSES; pass++) {
    const edits = findInjected(text, place);
    if (edits.length === 0) break;
    steps.push(edits);
    text = applyEdits(text, edits);
  }
  return { text, steps };
}

/** A rule of the user's, compiled. */
interface OwnRule {
  kind: string;
  pattern: RegExp;
}

/** @param known receives the secrets of the text */
async function traceText(
  original: string,
  place: SpokenPlace | undefined,
  ownRules: readonly OwnRule[],
  known: KnownSecrets,
): Promise<Traced> {
  const { text, steps } = place === undefined ? { text: original, steps: [] } : takeInjected(original, place);
  const traced: Traced = { text, redacted: {}, steps };
  if (steps.length > 0) traced.redacted.injected = steps.flat().length;
  const apply = (edits: Edit[], kinds: readonly string[]): void => {
    if (edits.length === 0) return;
    traced.text = applyEdits(traced.text, edits);
    traced.steps.push(edits);
    for (const kind of kinds) addCounts(traced.redacted, { [kind]: 1 });
  };
  let last: Edit[] | undefined;
  for (let pass = 0; pass < MAX_PASSES; pass++) {
    const hidden = findPrivate(traced.text);
    apply(hidden, new Array(hidden.length).fill('private'));
    const shown = traced.text;
    // Later passes look only around the last changes.
    const parts =
      last === undefined || hidden.length > 0 ? [{ start: 0, end: shown.length }] : partsAround(shown, last);
    const found: Finding[] = [];
    for (const { start, end } of parts)
      for (const finding of await find(shown.slice(start, end), ownRules))
        found.push({ ...finding, start: finding.start + start, end: finding.end + start });
    for (const { start, end, kind } of settle(shown, found)) known.learn(shown.slice(start, end), kind);
    const settled = settle(shown, [...found, ...known.find(shown)]);
    if (settled.length === 0) break;
    last = markersOf(settled);
    apply(
      last,
      settled.map(({ kind }) => kind),
    );
  }
  return traced;
}

/** More than any secret except a key block, which is found as a whole or not at all. */
const AROUND = { near: 512, reach: 8_192 };

/** The stretches around edits, in the edited text. */
function partsAround(edited: string, edits: readonly Edit[]): Window[] {
  const bounds = movedPlaces(
    edits.flatMap(({ start, end }) => [start, end]),
    [edits],
  );
  const places = edits.map((_, edit) => ({ start: bounds[2 * edit] ?? 0, end: bounds[2 * edit + 1] ?? 0 }));
  return windowsAround(edited, places, AROUND);
}

const findAnchored = combined([
  COOKIES,
  AUTHORIZATION,
  TOKENS,
  KUBERNETES,
  ...ANCHORED,
  ASSIGNMENTS,
  KEY_NAMES,
  TABLES,
  INSERTS,
]);

async function find(text: string, ownRules: readonly OwnRule[]): Promise<Finding[]> {
  return [
    ...(await findIn(text, ownRules)),
    ...(await findAcrossSequences(text, (plain) => findIn(plain, ownRules))),
  ];
}

async function findIn(text: string, ownRules: readonly OwnRule[]): Promise<Finding[]> {
  const own = ownRules.flatMap(({ kind, pattern }) =>
    Array.from(text.matchAll(pattern), ({ 0: { length }, index: start }) => ({
      start,
      end: start + length,
      kind,
    })),
  );
  const found = [
    own,
    findPrivateKeys(text),
    findAnchored(text),
    findShapes(text),
    await findBySecretlint(text),
  ];
  return found.flat();
}
