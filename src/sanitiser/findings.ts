import type { Edit } from './edits.js';

/** A secret found in a text: `[start, end)` in UTF-16 code units. */
export interface Finding {
  start: number;
  end: number;
  /** Lower case with dashes, such as `github-token`; used in the marker and the counts. */
  kind: string;
  /** Found by its place (`token=…`) or a family of shapes: the kind of a more exact rule takes precedence. */
  general?: boolean;
}

const MARKER = /\[(?:PRIVATE|REDACTED:[a-z0-9-]+)\]/g;

export function markerFor(kind: string): string {
  return `[REDACTED:${kind}]`;
}

/** Adds the counts of `more` to `into`. */
export function addCounts(into: Record<string, number>, more: Record<string, number>): void {
  for (const [kind, count] of Object.entries(more)) into[kind] = (into[kind] ?? 0) + count;
}

/**
 * Sorts the findings, merges overlapping ones, and extends them so that no surrogate pair is split. A finding that
 * touches a marker is dropped, so that clean text stays unchanged.
 */
export function settle(text: string, findings: readonly Finding[]): Finding[] {
  if (findings.length === 0) return [];
  const ordered = findings
    .filter(({ start, end }) => end > start)
    .sort((a, b) => a.start - b.start || b.end - a.end);

  const settled: Finding[] = [];
  for (const next of clearOfMarkers(text, ordered)) {
    const last = settled.at(-1);
    if (last === undefined || next.start >= last.end) {
      settled.push({ ...next });
      continue;
    }
    last.end = Math.max(last.end, next.end);
    if (last.general && !next.general) {
      last.kind = next.kind;
      last.general = false;
    }
  }
  return settled.map((finding) => ({
    ...finding,
    start: finding.start - (splitsPair(text, finding.start) ? 1 : 0),
    end: finding.end + (splitsPair(text, finding.end) ? 1 : 0),
  }));
}

function clearOfMarkers(text: string, ordered: readonly Finding[]): Finding[] {
  const markers = Array.from(text.matchAll(MARKER), (match) => ({
    start: match.index,
    end: match.index + match[0].length,
  }));
  let next = 0;
  return ordered.filter(({ start, end }) => {
    while ((markers[next]?.end ?? Infinity) <= start) next++;
    return end <= (markers[next]?.start ?? Infinity);
  });
}

export function markersOf(settled: readonly Finding[]): Edit[] {
  return settled.map(({ start, end, kind }) => ({ start, end, text: markerFor(kind) }));
}

function splitsPair(text: string, index: number): boolean {
  return (text.charCodeAt(index - 1) & 0xfc00) === 0xd800 && (text.charCodeAt(index) & 0xfc00) === 0xdc00;
}
