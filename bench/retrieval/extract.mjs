/** A summary by rules: the sentences whose words are the most telling of a session, as they are. */

const SENTENCES = 8;
/** Shorter ones are greetings. */
const LEAST_WORDS = 5;

const wordsOf = (text) => text.toLowerCase().match(/[\p{L}\p{N}]{3,}/gu) ?? [];

const counted = (items) => {
  const counts = new Map();
  for (const item of items) counts.set(item, (counts.get(item) ?? 0) + 1);
  return counts;
};

/**
 * Makes the summaries of texts that belong together: a word tells the more about a text the more often it occurs there, and the
 * fewer of the others contain it.
 *
 * @param {string[]} texts
 * @returns {string[]} per text at most eight of its sentences, in their order
 */
export function extracts(texts) {
  const containing = counted(texts.flatMap((text) => [...new Set(wordsOf(text))]));
  return texts.map((text) => {
    const often = counted(wordsOf(text));
    const weight = (word) => (often.get(word) ?? 0) * Math.log(texts.length / (containing.get(word) ?? 1));
    const sentences = text.split(/(?<=[.!?])\s+|\n+/).map((sentence, at) => {
      const words = [...new Set(wordsOf(sentence))];
      const sum = words.reduce((total, word) => total + weight(word), 0);
      return { sentence, at, score: words.length < LEAST_WORDS ? 0 : sum / words.length };
    });
    return sentences
      .sort((a, b) => b.score - a.score)
      .slice(0, SENTENCES)
      .sort((a, b) => a.at - b.at)
      .map(({ sentence }) => sentence)
      .join('\n');
  });
}
