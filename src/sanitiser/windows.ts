/** A stretch of a text, in UTF-16 code units. */
export interface Window {
  start: number;
  end: number;
}

/**
 * The surroundings of ascending places: at least `near` characters on each side, extended to whole lines, but at most
 * `reach` characters. Overlapping windows are merged.
 */
export function windowsAround(
  text: string,
  places: readonly Window[],
  { near, reach }: { near: number; reach: number },
): Window[] {
  const windows: Window[] = [];
  for (const place of places) {
    const last = windows.at(-1);
    // Nearby places are usually inside the previous window.
    if (last !== undefined && place.end + near <= last.end) continue;
    const start = lineStart(text, Math.max(0, place.start - reach), place.start - near);
    const end = lineEnd(text, place.end + near, Math.min(text.length, place.end + reach));
    if (last !== undefined && start <= last.end) last.end = Math.max(last.end, end);
    else windows.push({ start, end });
  }
  return windows;
}

/** The start of the line of a place, or `least` if that is later. */
function lineStart(text: string, least: number, place: number): number {
  if (place <= least) return least;
  return least + text.slice(least, place).lastIndexOf('\n') + 1;
}

/** The end of the line of a place, or `most` if that is earlier. */
function lineEnd(text: string, place: number, most: number): number {
  if (place >= most) return most;
  const feed = text.slice(place, most).indexOf('\n');
  return feed === -1 ? most : place + feed;
}
