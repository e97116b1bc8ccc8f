/**
 * Calls `make` once in a time, and gives its result to all calls within it. What failed is made again by the next call.
 *
 * @param ms milliseconds
 * @param clock monotonic, milliseconds
 */
export function onceIn<T>(
  ms: number,
  make: () => Promise<T>,
  clock: () => number = () => performance.now(),
): () => Promise<T> {
  let last: { at: number; made: Promise<T> } | undefined;
  return () => {
    if (last !== undefined && clock() - last.at < ms) return last.made;
    const mine = { at: clock(), made: make() };
    last = mine;
    mine.made.catch(() => {
      if (last === mine) last = undefined;
    });
    return mine.made;
  };
}
