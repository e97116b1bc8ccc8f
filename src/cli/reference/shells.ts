/** The shells that completion scripts are made for. */
export const SHELLS = ['bash', 'zsh', 'fish'] as const;
export type Shell = (typeof SHELLS)[number];

/**
 * A word that needs no quotes in a shell script. The name of an option or a fixed value contains nothing that shells
 * would expand.
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

/** Of a path, what follows the program: `/kg/add` of `mempalace kg add`. */
export function keyOf(path: string): string {
  return path
    .split(' ')
    .slice(1)
    .map((name) => `/${shellWord(name)}`)
    .join('');
}
