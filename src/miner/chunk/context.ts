import { safeCut } from './borders.js';
import { detach } from './detach.js';
import { CONTEXT_MAX } from './limits.js';

/** A heading path as one line; when it is too long the outer headings go first. */
export function contextOf(headings: readonly string[]): string {
  let from = 0;
  let joined = headings.join(' > ');
  while (joined.length > CONTEXT_MAX && from < headings.length - 1) {
    from++;
    joined = headings.slice(from).join(' > ');
  }
  return clip(joined);
}

/** The beginning of a text as one line. */
export function oneLine(text: string): string {
  return clip(
    text
      .slice(0, 4 * CONTEXT_MAX)
      .replace(/\s+/g, ' ')
      .trim(),
  );
}

function clip(text: string): string {
  return detach(text.length <= CONTEXT_MAX ? text : text.slice(0, safeCut(text, CONTEXT_MAX)));
}
