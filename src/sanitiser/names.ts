import { isMarked, markedName } from '../core/marked-path.js';
import type { Sanitiser } from './sanitiser.js';

/** Paths that are looked at in one go: nearly always none of them has a secret in it. */
const TOGETHER = 256;

/**
 * Paths as they may be kept and shown: each segment in which a rule finds a secret has a marker in its place, and a
 * hash of itself, so that two files stay two.
 *
 * @param paths absolute or relative, with `/`
 * @returns says a path as it may be kept; one that was not asked about comes back as it is
 */
export async function cleanPaths(
  paths: readonly string[],
  sanitiser: Sanitiser,
): Promise<(path: string) => string> {
  const cleaned = new Map<string, string>();
  for (let from = 0; from < paths.length; from += TOGETHER) {
    const some = paths.slice(from, from + TOGETHER);
    const text = some.join('\n');
    if ((await sanitiser.clean(text)).text === text) continue;
    for (const path of some) {
      const clean = await cleanPath(path, sanitiser);
      if (clean !== path) cleaned.set(path, clean);
    }
  }
  return (path) => cleaned.get(path) ?? path;
}

/** One path as it may be kept and shown. */
export async function cleanPath(path: string, sanitiser: Sanitiser): Promise<string> {
  const whole = (await sanitiser.clean(path)).text;
  if (whole === path) return path;
  const segments: string[] = [];
  for (const segment of path.split('/')) {
    const { text } = await sanitiser.clean(segment);
    segments.push(text === segment ? segment : markedName(segment, text));
  }
  const clean = segments.join('/');
  if ((await sanitiser.clean(clean)).text === clean) return clean;
  // Known by what stands in two segments, such as the path of a webhook.
  return isMarked(whole)
    ? whole
        .split('/')
        .map((each) => (isMarked(each) ? markedName(path, each) : each))
        .join('/')
    : clean;
}
