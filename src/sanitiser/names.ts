import { isMarked, markedName } from '../core/marked-path.js';
import type { Sanitiser } from './sanitiser.js';

/** Paths are checked in groups, since nearly all of them contain no secret. */
const GROUP = 256;

/**
 * Redacts paths, with `/`: a segment with a secret gets a marker and a hash of the original, so that two files keep
 * different paths. The returned function finds the redacted path of a path of the list.
 */
export async function cleanPaths(
  paths: readonly string[],
  sanitiser: Sanitiser,
): Promise<(path: string) => string> {
  const cleaned = new Map<string, string>();
  for (let from = 0; from < paths.length; from += GROUP) {
    const group = paths.slice(from, from + GROUP);
    const text = group.join('\n');
    if ((await sanitiser.clean(text)).text === text) continue;
    for (const path of group) {
      const clean = await cleanPath(path, sanitiser);
      if (clean !== path) cleaned.set(path, clean);
    }
  }
  return (path) => cleaned.get(path) ?? path;
}

/** Redacts one path. */
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
  // The rule needs two segments, as for the path of a webhook.
  return isMarked(whole)
    ? whole
        .split('/')
        .map((each) => (isMarked(each) ? markedName(path, each) : each))
        .join('/')
    : clean;
}
