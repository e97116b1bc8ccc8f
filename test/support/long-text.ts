const WORDS =
  'release cookie session index vector heading project money rounding queue worker memory wing room passage gate'.split(
    ' ',
  );

/** Prose of about this number of characters without repeated passages; the same for the same arguments. */
export function longText(chars: number, seed = 1): string {
  let state = seed;
  // Mulberry32: short, and without short cycles.
  const next = (below: number) => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) % below;
  };
  const parts: string[] = [];
  for (let length = 0; length < chars; ) {
    const words = Array.from({ length: 12 + next(30) }, () => WORDS[next(WORDS.length)]);
    const sentence = `${words.join(' ')}.${next(4) === 0 ? '\n\n' : '\n'}`;
    parts.push(sentence);
    length += sentence.length;
  }
  return parts.join('');
}
