/** Finding by words that are typed in any order, each possibly cut or with letters left out. */

const plain = (text: string): string => text.normalize('NFKD').replace(/\p{M}/gu, '').toLowerCase();

const BEGINNING = 3;
const INSIDE = 2;
const SCATTERED = 1;

function scoreOf(word: string, text: string): number {
  const at = text.indexOf(word);
  if (at !== -1) {
    const isBeginning = at === 0 || new RegExp(`[^\\p{L}\\p{N}]${escaped(word)}`, 'u').test(text);
    return isBeginning ? BEGINNING : INSIDE;
  }
  const isScattered = word.length > 2 && text.split(/\s+/).some((each) => hasInOrder(each, word));
  return isScattered ? SCATTERED : 0;
}

function hasInOrder(text: string, letters: string): boolean {
  let place = -1;
  for (const letter of letters) {
    place = text.indexOf(letter, place + 1);
    if (place === -1) return false;
  }
  return true;
}

const escaped = (text: string): string => text.replace(/[\\^$.*+?()[\]{}|/-]/g, '\\$&');

/** The items whose text has all words, the best first; equal ones in their order. All of them without words. */
export function found<Item>(items: readonly Item[], words: string, textOf: (item: Item) => string): Item[] {
  const wanted = plain(words).split(/\s+/).filter(Boolean);
  const scored = items.flatMap((item) => {
    const text = plain(textOf(item));
    const scores = wanted.map((word) => scoreOf(word, text));
    return scores.includes(0) ? [] : [{ item, score: scores.reduce((sum, score) => sum + score, 0) }];
  });
  return scored.sort((a, b) => b.score - a.score).map(({ item }) => item);
}
