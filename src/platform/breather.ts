/**
 * For long work that never waits for anything: what is returned lets signals and timers in, at most once per `everyMs`.
 * Between two calls the work must not take longer than a user waits for an answer to Ctrl-C.
 */
export function breather(everyMs = 50): () => Promise<void> | undefined {
  let last = performance.now();
  return () => {
    if (performance.now() - last < everyMs) return undefined;
    return new Promise((resolve) => {
      setImmediate(() => {
        last = performance.now();
        resolve();
      });
    });
  };
}
