import { setImmediate } from 'node:timers/promises';

/**
 * For long synchronous work: the returned function lets signals and timers run, at most once per `everyMs`. The work
 * between two calls must be short enough for a prompt reaction to Ctrl-C.
 */
export function breather(everyMs = 50): () => Promise<void> | undefined {
  let last = performance.now();
  return () => {
    if (performance.now() - last < everyMs) return undefined;
    return setImmediate().then(() => {
      last = performance.now();
    });
  };
}
