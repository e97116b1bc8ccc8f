/** Maximum lengths in UTF-16 units. */
const TITLE_CHARS = 200;
/** A place is a relative path or a folder. The last part of a path has at most 255 bytes. */
const PLACE_CHARS = 400;

/**
 * The first 200 UTF-16 units of a title, which is stored with each drawer of a source. The source's text contains the
 * rest, so that long titles do not multiply by the number of drawers.
 */
export function shortTitle(title: string): string {
  if (title.length <= TITLE_CHARS) return title;
  return `${wellFormed(title.slice(0, TITLE_CHARS - 1)).trimEnd()}…`;
}

/** The last 400 UTF-16 units of a place, which is stored with each drawer of a source. */
export function shortPlace(place: string): string {
  if (place.length <= PLACE_CHARS) return place;
  return `…${wellFormed(place.slice(1 - PLACE_CHARS))}`;
}

/** Without half a surrogate pair at either end. */
function wellFormed(text: string): string {
  return text.replace(/^[\udc00-\udfff]|[\ud800-\udbff]$/g, '');
}
