import type { Lookup } from './candidates.js';
import type { Group } from './group.js';

/** A hit with its most relevant line. */
export interface Hit extends Group {
  /** 1-based lines of the source, within the hit's drawer; absent when no line contains a word of the question. */
  focus?: { lineStart: number; lineEnd: number };
}

/** Finds in each hit's drawer the line with most of the question; the first of equals. */
export function withFocus(groups: readonly Group[], lookup: Lookup): Hit[] {
  const lines = groups.map(({ drawer }) => drawer.text.trim().split('\n'));
  const weights = lookup.weigh(lines.flat());
  let at = 0;
  return groups.map((group, index) => {
    const own = weights.slice(at, at + (lines[index]?.length ?? 0));
    at += own.length;
    const best = Math.max(...own);
    if (!(best > 0)) return group;
    const line = group.drawer.lineStart + own.indexOf(best);
    return { ...group, focus: { lineStart: line, lineEnd: line } };
  });
}
