const SCRIPTS = '\\p{Script=Han}\\p{Script=Hiragana}\\p{Script=Katakana}\\p{Script=Hangul}ー々〆';
/** Runs of the scripts that write no spaces between words, and of Hangul, whose words carry their endings. */
const UNSPACED = new RegExp(`[${SCRIPTS}]+`, 'gu');
/** Words as the tokenizer sees them: where the script changes, it sees no border. */
const WORD = new RegExp(`[\\p{L}\\p{N}\\p{M}${SCRIPTS}]+`, 'gu');

/**
 * What the lexical index holds of Chinese, Japanese and Korean text: its tokenizer sees a run without spaces
 * as one word. Every two neighbouring characters make a token, and the last of a run one of its own, so that
 * each character begins one: 東京都 → `東京 京都 都`. Words of other scripts that touch such a run are tokens
 * too: 使用React → `使用 用 React`. Empty for other text.
 */
export function bigramsOf(...texts: readonly string[]): string {
  const tokens: string[] = [];
  for (const text of texts) {
    for (const [word] of text.normalize('NFKC').matchAll(WORD)) {
      const parts = splitByScript(word);
      if (!parts.some((part) => part.unspaced)) continue;
      for (const part of parts) {
        if (!part.unspaced) tokens.push(part.text);
        else
          [...part.text].forEach((character, i, all) => {
            tokens.push(`${character}${all[i + 1] ?? ''}`);
          });
      }
    }
  }
  return tokens.join(' ');
}

/** Parts a word of a query into what `bigramsOf` indexes of it; a single character stays one. */
export function bigramTerms(word: string): string[] {
  const characters = [...word.normalize('NFKC')];
  if (characters.length < 2) return characters;
  return characters.slice(0, -1).map((character, i) => `${character}${characters[i + 1]}`);
}

/** Splits a word where it changes between a script without spaces and another: `vue组件` → `vue`, `组件`. */
export function splitByScript(word: string): { text: string; unspaced: boolean }[] {
  const parts: { text: string; unspaced: boolean }[] = [];
  let end = 0;
  for (const match of word.matchAll(UNSPACED)) {
    if (match.index > end) parts.push({ text: word.slice(end, match.index), unspaced: false });
    parts.push({ text: match[0], unspaced: true });
    end = match.index + match[0].length;
  }
  if (end < word.length) parts.push({ text: word.slice(end), unspaced: false });
  return parts;
}
