import { exactly, type Finder, inAnyCase, matchAt } from './finder.js';
import type { Finding } from './findings.js';

type Accept = (secret: string, groups: Record<string, string | undefined>) => boolean;

/** Finds a secret by its shape or by the text around it. */
export interface Rule {
  kind: string;
  /** Each match begins with one of these literals; undefined if the pattern searches the whole text. */
  anchors: Finder['anchors'] | undefined;
  /** With indices; sticky, or global without anchors. */
  pattern: RegExp;
  /** An additional condition. */
  accept: Accept | undefined;
  /** See `Finding`. */
  general: boolean;
}

/**
 * A rule for secrets with a known shape.
 *
 * @param source the group `secret` is replaced, together with an optional group `head` before it. A match begins with
 *   the group `at`, which lists literals; use lookbehind for text before it. No unbounded repetition after a bounded one
 * @param starts the literals if there is no group `at`, in lower case if the pattern ignores case
 */
export function byShape(kind: string, source: RegExp, accept?: Accept, starts = startsIn(source)): Rule {
  const anchors = starts && (source.ignoreCase ? inAnyCase(starts) : exactly(starts));
  const pattern = new RegExp(source, `${source.flags}d${anchors === undefined ? 'g' : 'y'}`);
  return { kind, anchors, pattern, accept, general: false };
}

/** A rule for secrets that are found by the text around them. */
export const byPlace = (...args: Parameters<typeof byShape>): Rule => ({
  ...byShape(...args),
  general: true,
});

/** The literals of the group `at`. */
export function startsIn({ source, ignoreCase }: RegExp): string[] | undefined {
  const list = /\(\?<at>((?:\\.|[^\\)])+)\)/.exec(source)?.[1]?.replaceAll('\\', '').split('|');
  return ignoreCase ? list?.map((start) => start.toLowerCase()) : list;
}

/** Undefined for a rule without anchors. */
export function finderOf(rule: Rule): Finder | undefined {
  const { anchors, pattern } = rule;
  if (anchors === undefined) return undefined;
  const at: Finder['at'] = (text, place) => {
    const match = matchAt(pattern, text, place);
    if (match === null) return undefined;
    return { findings: accepted(rule, text, match), next: pattern.lastIndex };
  };
  return { anchors, at };
}

/** Applies a rule without anchors. */
export function findBy(rule: Rule, text: string): Finding[] {
  return Array.from(text.matchAll(rule.pattern), (match) => accepted(rule, text, match)).flat();
}

function accepted({ kind, accept, general }: Rule, text: string, match: RegExpExecArray): Finding[] {
  const groups = match.indices?.groups;
  const [from, end] = groups?.secret ?? [0, 0];
  const start = groups?.head?.[0] ?? from;
  if (accept?.(text.slice(start, end), match.groups ?? {}) === false) return [];
  return [{ start, end, kind, general }];
}
