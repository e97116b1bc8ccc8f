import type { Query } from './query.js';

/**
 * The question's words without those that say the same twice. A version that the palace contains is not looked up by its
 * numbers, which are everywhere. A name that it does not contain is looked up by its parts alone.
 */
export function knownWords(
  { words, names }: Pick<Query, 'words' | 'names'>,
  isKnown: (word: string) => boolean,
): string[] {
  const dropped = new Set<string>();
  for (const { kind, whole, parts } of names) {
    if (kind === 'version') {
      if (isKnown(whole)) for (const part of parts) dropped.add(part);
    } else if (!isKnown(whole) && parts.some(isKnown)) dropped.add(whole);
  }
  return words.filter((word) => !dropped.has(word));
}
