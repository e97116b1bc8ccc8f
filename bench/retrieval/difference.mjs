/** The difference of two rankings over the same questions, with a paired bootstrap interval. */
import { createRandom } from '../support/random.mjs';
import { MEASURES, mapValues } from './measures.mjs';

const SAMPLES = 2_000;

/**
 * For each measure, in points (hundredths): the mean of the first ranking minus that of the second, and the middle 95 % of this
 * difference over samples of the questions, with repetition. The same answers give the same interval on every machine.
 *
 * @param {{ ranked: string[], relevant: string[] }[]} ours
 * @param {{ ranked: string[], relevant: string[] }[]} others the same questions in the same order
 * @param {keyof typeof MEASURES} by
 * @returns {Record<string, { points: number, low: number, high: number }>}
 */
export function differences(ours, others, by) {
  return mapValues(MEASURES[by], (of) => {
    const each = ours.map(
      ({ ranked, relevant }, at) => of(ranked, relevant) - of(others[at].ranked, others[at].relevant),
    );
    const { between } = createRandom(1);
    const means = Array.from({ length: SAMPLES }, () => {
      let sum = 0;
      for (let drawn = 0; drawn < each.length; drawn += 1) sum += each[between(0, each.length - 1)];
      return (100 * sum) / each.length;
    }).sort((a, b) => a - b);
    const points = (100 * each.reduce((sum, value) => sum + value, 0)) / each.length;
    return { points, low: means[Math.floor(SAMPLES * 0.025)], high: means[Math.ceil(SAMPLES * 0.975) - 1] };
  });
}

/** `+2.0 [−0.7, +4.7]` */
export const formatDifference = ({ points, low, high }) =>
  `${signed(points)} [${signed(low)}, ${signed(high)}]`;

/** One decimal, with a sign. */
export function signed(value) {
  const text = Math.abs(value).toFixed(1);
  return `${value < 0 && text !== '0.0' ? '−' : '+'}${text}`;
}
