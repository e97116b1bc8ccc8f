import { plain } from '../../../terminal/terminal.js';

/** Shown in the place of a token. */
export const HIDDEN = '<token>';

/** A text without the tokens that requests are sent with. References to a file or a variable stay. */
export function withoutTokens(text: string): string {
  return text.replaceAll(/(["']Bearer\s+)(?!\{|\$)[^\s"']+/gi, `$1${HIDDEN}`);
}

/** Removed and added lines, without the common lines at the beginning and the end, and without tokens. */
export function difference(before: string, after: string): string {
  const [old, fresh] = [before.split('\n'), after.split('\n')];
  let start = 0;
  while (start < Math.min(old.length, fresh.length) && old[start] === fresh[start]) start += 1;
  let end = 0;
  const most = Math.min(old.length, fresh.length) - start;
  while (end < most && old[old.length - 1 - end] === fresh[fresh.length - 1 - end]) end += 1;
  const gone = old.slice(start, old.length - end).map((text) => `- ${text}`);
  const come = fresh.slice(start, fresh.length - end).map((text) => `+ ${text}`);
  return [...gone, ...come].map((text) => plain(withoutTokens(text))).join('\n');
}
