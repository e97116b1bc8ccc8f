/** A stretch of a text, in UTF-16 code units. */
export interface Window {
  start: number;
  end: number;
}

/**
 * The lines that these places stand on, and the ones around them: from `near` characters before and behind each on
 * to the next line's end, at most `reach` characters. What overlaps becomes one.
 *
 * @param places in ascending order
 */
export function windowsAround(
  text: string,
  places: readonly Window[],
  { near, reach }: { near: number; reach: number },
): Window[] {
  const windows: Window[] = [];
  for (const place of places) {
    const last = windows.at(-1);
    // Most places of a crowd lie in what the one before has opened.
    if (last !== undefined && place.end + near <= last.end) continue;
    const start = lineStart(text, Math.max(0, place.start - reach), place.start - near);
    const end = lineEnd(text, place.end + near, Math.min(text.length, place.end + reach));
    if (last !== undefined && start <= last.end) last.end = Math.max(last.end, end);
    else windows.push({ start, end });
  }
  return windows;
}

/** Where the line of a place begins, but no further back than `least`. */
function lineStart(text: string, least: number, place: number): number {
  if (place <= least) return least;
  return least + text.slice(least, place).lastIndexOf('\n') + 1;
}

/** Where the line of a place ends, but no further on than `most`. */
function lineEnd(text: string, place: number, most: number): number {
  if (place >= most) return most;
  const feed = text.slice(place, most).indexOf('\n');
  return feed === -1 ? most : place + feed;
}
