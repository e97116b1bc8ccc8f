/**
 * Estimated tokens: four characters each, and one per Chinese, Japanese or Korean character. A model's own count differs
 * little for English prose; code and other scripts take more.
 *
 * All is counted in quarters of a token, which are additive: the parts of a text cost what the text costs.
 */
export const QUARTERS = 4;

const WIDE_SCRIPTS =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Bopomofo}\u3000-\u303f\uff00-\uffef]/gu;

/** A quick test, since nearly no text contains wide scripts. */
const MAYBE_WIDE = /[\u02ea\u02eb\u1100-\u11ff\u2e80-\uffff]/;

/** The cost of a text in quarters of a token; other characters count by UTF-16 units. */
export function quartersOf(text: string): number {
  if (!MAYBE_WIDE.test(text)) return text.length;
  const wide = text.match(WIDE_SCRIPTS) ?? [];
  return text.length + wide.reduce((sum, character) => sum + QUARTERS - character.length, 0);
}

export function estimateTokens(text: string): number {
  return Math.ceil(quartersOf(text) / QUARTERS);
}

const ELLIPSIS = '…';

/** The beginning of a text, at most `quarters` quarters of tokens, with an ellipsis where it was cut. */
export function cut(text: string, quarters: number): string {
  if (quartersOf(text) <= quarters) return text;
  let left = quarters - quartersOf(ELLIPSIS);
  if (left < 0) return '';
  let end = 0;
  for (const character of text) {
    left -= quartersOf(character);
    if (left < 0) break;
    end += character.length;
  }
  return `${text.slice(0, end).trimEnd()}${ELLIPSIS}`;
}
