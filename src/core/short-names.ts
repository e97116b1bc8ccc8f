/** Longest title that is copied beside text, in UTF-16 units. */
const TITLE_CHARS = 200;
/** Longest place, which is a relative path or a folder, likewise. The last part of a path has 255 bytes at most. */
const PLACE_CHARS = 400;

/**
 * A title as it is filed with each drawer of a source: its first 200 UTF-16 units. The text that it was taken from has
 * the rest, so that a palace grows with its sources and not with their titles times their drawers.
 */
export function shortTitle(title: string): string {
  if (title.length <= TITLE_CHARS) return title;
  return `${wellFormed(title.slice(0, TITLE_CHARS - 1)).trimEnd()}…`;
}

/** A place as it is filed with each drawer of a source: its last 400 UTF-16 units, which name a file and its folders. */
export function shortPlace(place: string): string {
  if (place.length <= PLACE_CHARS) return place;
  return `…${wellFormed(place.slice(1 - PLACE_CHARS))}`;
}

/** Without half a surrogate pair at either end. */
function wellFormed(text: string): string {
  return text.replace(/^[\udc00-\udfff]|[\ud800-\udbff]$/g, '');
}
