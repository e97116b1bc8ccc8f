/**
 * A word that stands in shell scripts without quotes. What shells would expand has no place in the name of an option
 * or in a fixed value.
 *
 * @throws Error for any other word
 */
export function shellWord(word: string): string {
  if (!/^[\w.,:+@%/-]+$/.test(word)) throw new Error(`no plain word: ${word}`);
  return word;
}

/** Words of a list, with spaces between them. */
export function shellWords(words: readonly string[]): string {
  return words.map(shellWord).join(' ');
}

/** The name of a shell function for a program: `_mempalace_docs`. */
export function functionName(program: string): string {
  return `_${shellWord(program).replace(/\W/g, '_')}`;
}
