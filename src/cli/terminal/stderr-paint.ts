/** SGR codes of the words that begin a line on stderr: the library for colours would be loaded for an error alone. */
const CODES = { red: 31, yellow: 33 } as const;

/**
 * Sets a word off on stderr, where that is a terminal that shows colours.
 *
 * @param wanted false under --no-color or --json
 */
export function paintStderr(word: string, colour: keyof typeof CODES, wanted: boolean): string {
  const { NO_COLOR = '', FORCE_COLOR = '', TERM } = process.env;
  const forced = FORCE_COLOR !== '' && FORCE_COLOR !== '0' && FORCE_COLOR !== 'false';
  const able = forced || (process.stderr.isTTY === true && TERM !== 'dumb' && FORCE_COLOR === '');
  if (!wanted || NO_COLOR !== '' || !able) return word;
  return `\u001b[${CODES[colour]}m${word}\u001b[39m`;
}
