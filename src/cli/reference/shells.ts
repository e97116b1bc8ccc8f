/** The shells that completion scripts are made for. */
export const SHELLS = ['bash', 'zsh', 'fish'] as const;
export type Shell = (typeof SHELLS)[number];

/**
 * A word that needs no quotes in a shell script, such as the name of an option or a fixed value.
 *
 * @throws Error for any other word
 */
export function shellWord(word: string): string {
  if (!/^[\w.,:+@%/-]+$/.test(word)) throw new Error(`no plain word: ${word}`);
  return word;
}

export function shellWords(words: readonly string[]): string {
  return words.map(shellWord).join(' ');
}

/** The name of a shell function for a program: `_mempalace_docs`. */
export function functionName(program: string): string {
  return `_${shellWord(program).replace(/\W/g, '_')}`;
}

/** `/kg/add` for `mempalace kg add`. */
export function keyOf(path: string): string {
  return path
    .split(' ')
    .slice(1)
    .map((name) => `/${shellWord(name)}`)
    .join('');
}
