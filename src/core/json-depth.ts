/** Deeper JSON than this would exhaust the stack of whatever walks it later. SQLite's own limit is the same. */
const DEPTH_LIMIT = 1_000;

/** What is said of a value that is nested too deeply. */
export const TOO_DEEP = `nested more than ${DEPTH_LIMIT} levels deep`;

/** Whether a JSON value is nested too deeply to be walked. `JSON.parse` itself reads any depth. */
export function isTooDeep(json: unknown): boolean {
  let level: unknown[] = [json];
  for (let depth = 0; level.length > 0; depth += 1) {
    if (depth > DEPTH_LIMIT) return true;
    level = level.flatMap((value) =>
      typeof value === 'object' && value !== null ? Object.values(value) : [],
    );
  }
  return false;
}
