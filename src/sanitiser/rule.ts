import { exactly, type Finder, inAnyCase } from './finder.js';
import type { Finding } from './findings.js';

/** A secret that is known by its shape or by the word before it. */
export interface Rule {
  kind: string;
  /**
   * Each match begins with one of these; in any case when the pattern has the flag `i`, in lower case here. What lies
   * before is looked back at. Without them, the pattern looks through the text by itself.
   */
  anchors?: readonly string[];
  /**
   * With indices; sticky, or global without anchors. The group `secret` is what is replaced, with `head` where it
   * has one before it. No unbounded repetition after a bounded one.
   */
  pattern: RegExp;
  /** What else must hold of the secret; the groups are the pattern's. */
  accept?: (secret: string, groups: Record<string, string | undefined>) => boolean;
  /** See `Finding`. */
  general?: boolean;
}

/** A rule that asks where its anchors stand; undefined for one that looks through the text by itself. */
export function finderOf(rule: Rule): Finder | undefined {
  const { anchors, pattern } = rule;
  if (anchors === undefined) return undefined;
  const at: Finder['at'] = (text, place) => {
    pattern.lastIndex = place;
    const match = pattern.exec(text);
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
  { kind, accept, general = false }: Rule,
  text: string,
  match: RegExpExecArray,
): Finding | undefined {
  const groups = match.indices?.groups;
  const [from, end] = groups?.secret ?? [0, 0];
  const start = groups?.head?.[0] ?? from;
  if (accept?.(text.slice(start, end), match.groups ?? {}) === false) return undefined;
  return { start, end, kind, general };
}
