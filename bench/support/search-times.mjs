/** Times of searches in this process, whole and in parts. */
import { search } from '../../dist/search/index.js';
import { Codes } from '../../dist/store/index/codes.js';

const LIMIT = 5;

/** The parts of a search: object, method, and the name for its time. */
const partsOf = (palace, embedder) => [
  [embedder, 'embed', 'embedding the question'],
  [Codes.prototype, 'nearest', 'scan of the codes'],
  [palace.vectors, 'cosines', 'exact cosines'],
  [palace.lexical, 'terms', 'lexical candidates'],
  [palace.lexical, 'candidates', 'lexical candidates'],
  [palace.lexical, 'scores', 'BM25 of candidates and neighbours'],
  [palace.lexical, 'weigh', 'lines to look at first'],
  [palace.reading, 'select', 'what the filter allows'],
  [palace.reading, 'drawersByVector', 'reading drawers'],
  [palace.reading, 'drawersById', 'reading drawers'],
  [palace.reading, 'drawersBetween', 'reading neighbours'],
];

/**
 * Makes the methods add the milliseconds they take to a map, by name.
 *
 * @returns {{ spent: Map<string, number>, restore: () => void }}
 */
function instrument(parts) {
  const spent = new Map();
  const undo = [];
  for (const [object, method, name] of parts) {
    const original = object[method];
    const own = Object.hasOwn(object, method);
    object[method] = function timed(...args) {
      const start = performance.now();
      const count = () => spent.set(name, (spent.get(name) ?? 0) + performance.now() - start);
      const result = original.apply(this, args);
      if (result instanceof Promise) return result.finally(count);
      count();
      return result;
    };
    undo.push(() => {
      if (own) object[method] = original;
      else delete object[method];
    });
  }
  return {
    spent,
    restore: () => {
      for (const step of undo) step();
    },
  };
}

/**
 * Runs every question in each round, after one round that is not counted.
 *
 * @param {{ palace: object, embedder: object, questions: string[], rounds: number, filter?: object }} options
 * @returns {Promise<{ whole: number[], parts: Map<string, number[]>, found: number }>} milliseconds, for each
 *   question the median of its rounds; `found`: questions with a hit
 */
export async function searchTimes({ palace, embedder, questions, rounds, filter }) {
  const { spent, restore } = instrument(partsOf(palace, embedder));
  const each = questions.map(() => []);
  let found = 0;
  try {
    for (let round = -1; round < rounds; round += 1) {
      found = 0;
      for (const [index, question] of questions.entries()) {
        spent.clear();
        const start = performance.now();
        const { hits } = await search({ palace, embedder, question, limit: LIMIT, filter });
        const whole = performance.now() - start;
        found += hits.length > 0 ? 1 : 0;
        if (round >= 0) each[index].push(new Map([...spent, ['', whole]]));
      }
    }
  } finally {
    restore();
  }
  const names = [...new Set(each.flat().flatMap((times) => [...times.keys()]))];
  const middle = (rows, name) => {
    const times = rows.map((row) => row.get(name) ?? 0).sort((a, b) => a - b);
    return times[Math.floor(times.length / 2)];
  };
  const parts = new Map(names.map((name) => [name, each.map((rows) => middle(rows, name))]));
  const whole = parts.get('');
  parts.delete('');
  parts.set(
    'all else',
    whole.map((time, index) => time - [...parts.values()].reduce((sum, times) => sum + times[index], 0)),
  );
  return { whole, parts, found };
}
