import { exactly, type Finder, inAnyCase, matchAt } from './finder.js';
import type { Finding } from './findings.js';

type Accept = (secret: string, groups: Record<string, string | undefined>) => boolean;

/** Finds a secret by its shape or by the word before it. */
export interface Rule {
  kind: string;
  /**
   * Each match begins with one of these; in any case when the pattern has the flag `i` (then they are in lower case). Use
   * lookbehind for text before it. Null: the pattern searches the whole text.
   */
  anchors: readonly string[] | null;
  /**
   * With indices; sticky, or global without anchors. The group `secret` is replaced, together with an optional group
   * `head` before it. No unbounded repetition after a bounded one.
   */
  pattern: RegExp;
  /** An additional condition. */
  accept: Accept | undefined;
  /** See `Finding`. */
  general: boolean;
}

type Anchors = string | readonly string[] | null;

/** A rule for secrets with a known shape. */
export const byShape = (kind: string, anchors: Anchors, pattern: RegExp, accept?: Accept): Rule => ({
  kind,
  anchors: typeof anchors === 'string' ? [anchors] : anchors,
  pattern,
  accept,
  general: false,
});

/** A rule for secrets that are found by the text around them. */
export const byPlace = (...rule: Parameters<typeof byShape>): Rule => ({
  ...byShape(...rule),
  general: true,
});

/** Undefined for a rule without anchors. */
export function finderOf(rule: Rule): Finder | undefined {
  const { anchors, pattern } = rule;
  if (anchors === null) return undefined;
  const at: Finder['at'] = (text, place) => {
    const match = matchAt(pattern, text, place);
    if (match === null) return undefined;
    const finding = accepted(rule, text, match);
    return { findings: finding === undefined ? [] : [finding], next: pattern.lastIndex };
  };
  return { anchors: pattern.ignoreCase ? inAnyCase(anchors) : exactly(anchors), at };
}

/** Applies a rule without anchors. */
export function findBy(rule: Rule, text: string): Finding[] {
  return Array.from(text.matchAll(rule.pattern), (match) => accepted(rule, text, match) ?? []).flat();
}

function accepted(
  { kind, accept, general }: Rule,
  text: string,
  match: RegExpExecArray,
): Finding | undefined {
  const groups = match.indices?.groups;
  const [from, end] = groups?.secret ?? [0, 0];
  const start = groups?.head?.[0] ?? from;
  if (accept?.(text.slice(start, end), match.groups ?? {}) === false) return undefined;
  return { start, end, kind, general };
}
