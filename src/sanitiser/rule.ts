import { exactly, type Finder, inAnyCase, matchAt } from './finder.js';
import type { Finding } from './findings.js';

type Accept = (secret: string, groups: Record<string, string | undefined>) => boolean;

/** A secret that is known by its shape or by the word before it. */
export interface Rule {
  kind: string;
  /**
   * Each match begins with one of these; in any case when the pattern has the flag `i`, in lower case here. What lies
   * before is looked back at. Null: the pattern looks through the text by itself.
   */
  anchors: readonly string[] | null;
  /**
   * With indices; sticky, or global without anchors. The group `secret` is what is replaced, with `head` where it
   * has one before it. No unbounded repetition after a bounded one.
   */
  pattern: RegExp;
  /** What else must hold of the secret; the groups are the pattern's. */
  accept: Accept | undefined;
  /** See `Finding`. */
  general: boolean;
}

type Anchors = string | readonly string[] | null;

/** A rule for secrets that are known by their shape. */
export const byShape = (kind: string, anchors: Anchors, pattern: RegExp, accept?: Accept): Rule => ({
  kind,
  anchors: typeof anchors === 'string' ? [anchors] : anchors,
  pattern,
  accept,
  general: false,
});

/** A rule for secrets that are known by what stands around them. */
export const byPlace = (...rule: Parameters<typeof byShape>): Rule => ({
  ...byShape(...rule),
  general: true,
});

/** A rule that asks where its anchors stand; undefined for one that looks through the text by itself. */
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

/** What a rule without an anchor finds. */
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
