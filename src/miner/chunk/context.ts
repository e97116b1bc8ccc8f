import { safeCut } from './borders.js';
import { CONTEXT_MAX } from './limits.js';

/** A heading path as one line; when it is too long, the outer headings are dropped first. */
export function contextOf(headings: readonly string[]): string {
  let from = 0;
  let joined = headings.join(' > ');
  while (joined.length > CONTEXT_MAX && from < headings.length - 1) {
    from++;
    joined = headings.slice(from).join(' > ');
  }
  return clip(joined);
}

export function oneLine(text: string): string {
  return clip(
    text
      .slice(0, 4 * CONTEXT_MAX)
      .replace(/\s+/g, ' ')
      .trim(),
  );
}

/**
 * A copy of a string that shares no memory with its original. V8 keeps the parent of a slice alive: without this, a
 * reference to one chunk keeps its segment, and a reference to a title its document.
 */
export function detach(text: string): string {
  return text.length === 0 ? '' : ` ${text}`.slice(1);
}

function clip(text: string): string {
  return detach(text.length <= CONTEXT_MAX ? text : text.slice(0, safeCut(text, CONTEXT_MAX)));
}
