/**
 * Calls `make` once in `ms`, and gives its result to all calls within that time. What failed is made again. `clock`:
 * monotonic.
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
