import { sha256 } from '../core/hash.js';
import { ASSIGNMENTS } from './assignments.js';
import { findPrivate, findPrivateKeys } from './blocks.js';
import { COOKIES } from './cookies.js';
import { applyEdits, type Edit } from './edits.js';
import { askAll } from './finder.js';
import { addCounts, type Finding, markersOf, settle } from './findings.js';
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
export const SANITISER_VERSION = 4;

/** Texts that `pattern` (JavaScript, flags `gu`) matches are replaced by `[REDACTED:<kind>]`. */
export interface OwnRule {
  /** Lower case with digits and dashes. */
  kind: string;
  /** Must not match the empty text or backtrack without bound; the configuration checks both. */
  pattern: string;
}

/**
 * @param options.redact false for a sanitiser that changes nothing
 * @param options.rules the user's own, in addition to the built-in ones
 * @throws SyntaxError when one of their patterns is invalid
 */
export async function createSanitiser(options: {
  redact: boolean;
  rules?: readonly OwnRule[];
}): Promise<TracingSanitiser> {
  const { redact, rules = [] } = options;
  if (!redact) return NOTHING_REDACTED;
  const compiled = rules.map(({ kind, pattern }) => ({ kind, pattern: new RegExp(pattern, 'gu') }));
  const version = versionWith(rules);
  const findMore = (text: string) => findOwn(text, compiled);
  const scope = () => newScope(version, (text, place, known) => traceText(text, place, findMore, known));
  return {
    version,
    clean: (text, place) => scope().clean(text, place),
    trace: (text, place) => scope().trace(text, place),
    cleanValue: (value) => scope().cleanValue(value),
    scope,
  };
}

/** The version includes twelve digits of the rules' hash, so that sources are filed again when the rules change. */
function versionWith(rules: readonly OwnRule[]): number {
  if (rules.length === 0) return SANITISER_VERSION;
  const hash = sha256(JSON.stringify(rules.map(({ kind, pattern }) => [kind, pattern])));
  const digits = BigInt(`0x${hash}`).toString().slice(-12);
  return Number(`${SANITISER_VERSION}.${digits}`);
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

type FindMore = (text: string) => Finding[];

/** @param known receives the secrets of the text */
async function traceText(
  original: string,
  place: SpokenPlace | undefined,
  findMore: FindMore,
  known: KnownSecrets,
): Promise<Traced> {
  const { text, steps } = place === undefined ? { text: original, steps: [] } : takeInjected(original, place);
  const redacted: Record<string, number> = {};
  if (steps.length > 0) redacted.injected = steps.reduce((sum, edits) => sum + edits.length, 0);
  const traced: Traced = { text, redacted, steps };
  const take = (edits: Edit[], kinds: readonly string[]): boolean => {
    if (edits.length === 0) return false;
    traced.text = applyEdits(traced.text, edits);
    traced.steps.push(edits);
    for (const kind of kinds) addCounts(traced.redacted, { [kind]: 1 });
    return true;
  };
  let last: Edit[] | undefined;
  for (let pass = 0; pass < MAX_PASSES; pass++) {
    const hidden = findPrivate(traced.text);
    take(
      hidden,
      hidden.map(() => 'private'),
    );
    const shown = traced.text;
    // Later passes look only around the last changes.
    const parts = last === undefined || hidden.length > 0 ? [whole(shown)] : changedParts(shown, last);
    const found: Finding[] = [];
    for (const { start, end } of parts) {
      const part = parts.length === 1 && end - start === shown.length ? shown : shown.slice(start, end);
      for (const finding of [...findMore(part), ...(await find(part))])
        found.push({ ...finding, start: finding.start + start, end: finding.end + start });
    }
    for (const { start, end, kind } of settle(shown, found)) known.learn(shown.slice(start, end), kind);
    const settled = settle(shown, [...found, ...known.find(shown)]);
    const edits = markersOf(settled);
    if (
      !take(
        edits,
        settled.map(({ kind }) => kind),
      )
    )
      break;
    last = edits;
  }
  return traced;
}

/** More than any secret except a key block, which is found as a whole or not at all. */
const AROUND = { near: 512, reach: 8_192 };

const whole = (text: string): Window => ({ start: 0, end: text.length });

/** The stretches around edits, in the edited text. */
function changedParts(text: string, edits: readonly Edit[]): Window[] {
  let shift = 0;
  const places = edits.map(({ start, end, text: instead }) => {
    const place = { start: start + shift, end: start + shift + instead.length };
    shift += instead.length - (end - start);
    return place;
  });
  return windowsAround(text, places, AROUND);
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

const findAnchored = askAll([
  COOKIES,
  TOKENS,
  KUBERNETES,
  ...ANCHORED,
  ASSIGNMENTS,
  KEY_NAMES,
  TABLES,
  INSERTS,
]);

async function find(text: string): Promise<Finding[]> {
  const own = [...findPrivateKeys(text), ...findAnchored(text), ...findShapes(text)];
  return own.concat(await findBySecretlint(text));
}
