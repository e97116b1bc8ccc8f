/** What people type who know other tools, and what it is called here: the first that exists is meant. */
const CALLED: Readonly<Record<string, readonly string[]>> = {
  ...calledAll(['documents', 'docs'], ['docs', 'sources']),
  ...calledAll(['session', 'sessions'], ['sessions', 'sources']),
  ...calledAll(['index', 'ingest', 'sync'], ['docs']),
  add: ['docs', 'write'],
  ...calledAll(['find', 'grep', 'query', 'ask'], ['search', 'query', 'show']),
  ...calledAll(['open', 'get', 'cat', 'read', 'view', 'show'], ['show', 'list', 'timeline', 'read']),
  ...calledAll(['ls', 'list'], ['list', 'timeline', 'read']),
  ...calledAll(['delete', 'remove', 'rm'], ['forget', 'drop', 'remove', 'uninstall', 'unset', 'revoke']),
  install: ['setup'],
  setup: ['install'],
  uninstall: ['remove', 'setup --undo'],
  start: ['ensure'],
  download: ['pull'],
  check: ['doctor'],
  info: ['status', 'show'],
  stats: ['status'],
  logs: ['log'],
  web: ['ui'],
  browse: ['ui'],
  dump: ['export'],
  save: ['backup', 'add'],
  new: ['add', 'init'],
  create: ['add'],
};

function calledAll(words: readonly string[], here: readonly string[]): Record<string, readonly string[]> {
  return Object.fromEntries(words.map((word) => [word, here]));
}

/** Letters that a beginning of a name has at least. */
const LEAST_BEGINNING = 3;

/** What is meant by a word that is none of the candidates: by what other tools call it, by its beginning, or by its letters. */
export function meant(name: string, candidates: readonly string[]): string | undefined {
  const exists = (words: string): boolean => candidates.includes(words.split(' ')[0] ?? '');
  const folded = name.toLowerCase();
  const called = Object.hasOwn(CALLED, folded) ? CALLED[folded]?.find(exists) : undefined;
  const begun = candidates.filter((each) => each.startsWith(folded) || folded.startsWith(`${each}-`));
  const beginning = folded.length >= LEAST_BEGINNING && begun.length === 1 ? begun[0] : undefined;
  return called ?? beginning ?? suggest(name, candidates);
}

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
