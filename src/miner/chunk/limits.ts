/** Limits for the size of chunks, in UTF-16 units of their text without surrounding white space. */

/** A chunk grows while it stays below this. */
export const TARGET = 800;
/** Maximum for prose, list items and lines. */
export const MAX = 1_000;
/** A fence or a table is kept whole up to this, twice the target: half of one is of little use to a reader. */
export const WHOLE_MAX = 1_600;
/** From this size, a minor heading, a change of speaker, or a content-defined border closes a chunk. */
export const HALF = 400;
/** A chunk below this continues even over a main heading, or joins the chunk before it. */
export const TINY = 200;
/** Longer headings are placed at once, not together with the text after them. */
export const GLUE_MAX = 200;

/** Only this much of the beginning and of the end of a tool's input or output is chunked. */
export const HEAD = 2_048;
export const TAIL = 2_048;
/** A middle shorter than this is not worth leaving out. */
export const SLACK = 512;

/** Longest `context` of a chunk. */
export const CONTEXT_MAX = 200;
/** Size of the text of a segment. */
export const SEGMENT_SIZE = 512 * 1024;
