import { fold } from '../core/fold.js';
import { type DrawerView, splitByScript } from '../store/index.js';

/** Whether a drawer contains every phrase in its text, title, context or place, exactly. */
export function containsAll(drawer: DrawerView, phrases: readonly string[]): boolean {
  return phrases.every((phrase) => contains(drawer, phrase));
}

/** Whether a drawer contains a text in one of these, exactly. */
export function contains({ text, title, context, place }: DrawerView, phrase: string): boolean {
  const wanted = normalized(phrase);
  return [text, title, context, place].some((field) => containsPhrase(normalized(field), wanted));
}

/** Whether a text contains a phrase that begins and ends at word boundaries; a version also after its `v`. */
function containsPhrase(text: string, phrase: string): boolean {
  const isVersion = /^\d+\.\d/.test(phrase);
  for (let at = text.indexOf(phrase); at !== -1; at = text.indexOf(phrase, at + 1)) {
    const end = at + phrase.length;
    const start = isVersion && text[at - 1] === 'v' ? at - 1 : at;
    if (!isWithinWord(text, start) && !isWithinWord(text, end)) return true;
  }
  return false;
}

/** Whether a position is inside a word of a script with spaces. */
function isWithinWord(text: string, at: number): boolean {
  const before = /[\p{L}\p{N}\p{M}]$/u.exec(text.slice(Math.max(0, at - 2), at))?.[0];
  const after = /^[\p{L}\p{N}\p{M}]/u.exec(text.slice(at, at + 2))?.[0];
  if (before === undefined || after === undefined) return false;
  return splitByScript(before + after).every((part) => !part.unspaced);
}

function normalized(text: string): string {
  return fold(text).replace(/\s+/gu, ' ');
}
