/** Everything that decides how large a chunk is, in UTF-16 units of its text without surrounding white space. */

/** A chunk takes in more while it stays below this. */
export const TARGET = 800;
/** No chunk of prose, list items or lines is larger. */
export const MAX = 1_000;
/** A fence or a table is kept whole up to this, twice the target: half of one is of little use to a reader. */
export const WHOLE_MAX = 1_600;
/** From here on a chunk is worth closing at a lesser heading, a change of speaker, or a content-defined border. */
export const HALF = 400;
/** A chunk below this takes in even what a main heading starts, or joins the chunk before it. */
export const TINY = 200;
/** Headings longer than this do not wait for what follows them. */
export const GLUE_MAX = 200;

/** Of a tool's input or output, this much of the beginning and of the end is chunked. */
export const HEAD = 2_048;
export const TAIL = 2_048;
/** A middle shorter than this is not worth leaving out. */
export const SLACK = 512;

/** Longest `context` of a chunk. */
export const CONTEXT_MAX = 200;
/** A segment is handed on when it has this much text. */
export const SEGMENT_SIZE = 512 * 1024;
