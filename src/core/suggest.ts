/** The candidate with the fewest edits from `name`: at most three, and fewer than half of its letters. */
export function suggest(name: string, candidates: readonly string[]): string | undefined {
  const folded = name.toLowerCase().replaceAll('-', '_');
  let best: { candidate: string; distance: number } | undefined;
  for (const candidate of candidates) {
    const distance = editDistance(folded, candidate);
    if (distance > 3 || distance * 2 >= Math.max(folded.length, candidate.length)) continue;
    if (best === undefined || distance < best.distance) best = { candidate, distance };
  }
  return best?.candidate;
}

/** The number of insertions, deletions, substitutions and swaps of adjacent letters that turn `a` into `b`. */
export function editDistance(a: string, b: string): number {
  const rows: number[][] = [];
  const at = (i: number, j: number) => rows[i]?.[j] ?? 0;
  for (let i = 0; i <= a.length; i += 1) {
    rows[i] = [];
    for (let j = 0; j <= b.length; j += 1) {
      const same = a[i - 1] === b[j - 1] ? 0 : 1;
      const edits = [at(i - 1, j) + 1, at(i, j - 1) + 1, at(i - 1, j - 1) + same];
      if (a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]) edits.push(at(i - 2, j - 2) + 1);
      rows[i]?.push(i === 0 || j === 0 ? i + j : Math.min(...edits));
    }
  }
  return at(a.length, b.length);
}
