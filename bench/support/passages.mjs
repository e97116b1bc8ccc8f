/**
 * Texts of drawers and questions about them. The generator's vocabulary alone is small: every word would
 * be in a large share of 100,000 drawers. Rare names, by Zipf's law, give the long tail that real
 * text has (names of people, products, hosts, tickets).
 */
import { prose, title } from './prose.mjs';
import { ACTIONS, ADJECTIVES, PLACES, REASONS, STEMS, TECHNOLOGIES } from './vocabulary.mjs';

const SYLLABLES =
  'ba co di fu ga ho ju ka lo mi ne pu ra so ti vu wa xe yo zi bren dorf kell mond nar quil'.split(' ');
const NAMES = 20_000;
/** Share of words that are rare names, and of a reworded text's words that are replaced. */
const NAMED = 0.06;
const REPLACED = 0.15;

const WORDS = new Map(
  [STEMS, ACTIONS, ADJECTIVES, TECHNOLOGIES, PLACES].flatMap((list) => list.map((word) => [word, list])),
);

/** Returns a generated name; the one of rank r occurs about r times less often than the first. */
export function rareNames(random) {
  const names = new Set();
  while (names.size < NAMES) {
    names.add(Array.from({ length: random.between(2, 4) }, () => random.pick(SYLLABLES)).join(''));
  }
  const list = [...names];
  return () => list[Math.min(NAMES, Math.floor(NAMES ** random.next())) - 1] ?? list[0];
}

/** A text of about `chars` characters (median), with rare names. */
export function passage(random, name, chars) {
  const length = Math.min(800, Math.max(60, random.logNormal(chars, 0.6)));
  return prose(random, length)
    .split(' ')
    .map((word) => (random.chance(NAMED) ? `${name()} ${word}` : word))
    .join(' ');
}

/** The text with some of its words replaced by others of their kind. */
export function reworded(random, name, text) {
  return text
    .split(' ')
    .map((word) => {
      if (!random.chance(REPLACED)) return word;
      const kind = WORDS.get(word);
      return kind === undefined ? name() : random.pick(kind);
    })
    .join(' ');
}

const QUESTIONS = [
  (r) => `Why does the ${r.pick(ADJECTIVES)} ${r.pick(STEMS)} ${r.pick(PLACES)} fail ${r.pick(REASONS)}?`,
  (r, name) => `What did we decide about ${name()} and the ${r.pick(STEMS)} of ${r.pick(TECHNOLOGIES)}?`,
  (r, name) => `${name()} ${r.pick(STEMS)}`,
  (r) => title(r),
  (r) =>
    `how to ${r.pick(ACTIONS)} a ${r.pick(STEMS)} before the ${r.pick(STEMS)} in ${r.pick(TECHNOLOGIES)}`,
  (r, name) => `Where did ${name()} change ${r.pick(STEMS).toUpperCase()}_${r.pick(STEMS).toUpperCase()}?`,
  (r) => `${r.pick(STEMS)} ${r.pick(ACTIONS)} ${r.between(2, 900)} rows ${r.pick(TECHNOLOGIES)}`,
  (r, name) =>
    `I remember that the ${r.pick(STEMS)} came from ${r.pick(TECHNOLOGIES)} and ${name()} wanted to ${r.pick(ACTIONS)} the ${r.pick(STEMS)}, what was the ${r.pick(ADJECTIVES)} cause?`,
];

/** Questions of every shape: a sentence, a few words, a name, an identifier. */
export const questions = (random, name, count) =>
  Array.from({ length: count }, (_, index) => QUESTIONS[index % QUESTIONS.length](random, name));
