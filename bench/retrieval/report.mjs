/** The figures of a set as rows of the benches' table and as JSON, and the missed questions as text. */
import { row } from '../support/figures.mjs';
import { measure, rankOf } from './measures.mjs';

const PRODUCT = 'default';
const BM25 = 'BM25';
/** Ids shown of a ranking in JSON and in the list of misses. */
const SHOWN = 10;

/**
 * @typedef {{ question: string, category: string, relevant: string[], ranked: string[] }} Answer
 * @typedef {object} Group one granularity in one setting
 * @property {string} granularity
 * @property {string} setting
 * @property {Record<string, Answer[]>} rankings the same questions under each ranking
 * @property {Record<string, number>} least measures that the product must reach, in per cent
 * @property {boolean} beatsBm25 whether it must be better than BM25 alone
 */

/** Every measure of every ranking of a group. */
const figuresOf = ({ rankings }) =>
  Object.fromEntries(Object.entries(rankings).map(([name, answers]) => [name, measure(answers)]));

/** The lines of the table: the product's figure, its target, and the baselines. */
export function rowsOf(set) {
  const asked = Object.values(set.groups[0].rankings)[0].length;
  const rows = [
    row(`${set.name}: ${set.what}`, `${asked}`, { note: `questions; ${set.leftOut.length} left out` }),
  ];
  for (const group of set.groups) {
    const figures = figuresOf(group);
    for (const measured of Object.keys(figures[PRODUCT])) {
      const others = Object.entries(figures).filter(([name]) => name !== PRODUCT);
      rows.push(
        row(`  ${group.granularity}, ${group.setting}, ${measured}`, figures[PRODUCT][measured].toFixed(1), {
          ...targetOf(group, measured, figures),
          note: others.map(([name, values]) => `${name} ${values[measured].toFixed(1)}`).join(', '),
        }),
      );
    }
  }
  return [...rows, ...categoryRows(set.groups[0])];
}

function targetOf({ least, beatsBm25 }, measured, figures) {
  const ours = figures[PRODUCT][measured];
  const checks = [];
  if (least[measured] !== undefined) checks.push([`≥ ${least[measured]}`, ours >= least[measured]]);
  if (beatsBm25) checks.push(['> BM25', ours > figures[BM25][measured]]);
  if (checks.length === 0) return {};
  return { target: checks.map(([text]) => text).join(', '), met: checks.every(([, met]) => met) };
}

/** The first group by category of question: the product, and BM25. */
function categoryRows({ granularity, setting, rankings }) {
  const [ours, bm25] = [byCategory(rankings[PRODUCT]), byCategory(rankings[BM25])];
  const text = (values) => ['R@5', 'R@10', 'nDCG@10'].map((m) => `${m} ${values[m].toFixed(1)}`).join(', ');
  return Object.keys(ours)
    .sort()
    .map((category) => {
      const values = measure(ours[category]);
      const plain = measure(bm25[category]);
      return row(`  ${granularity}, ${setting}, R@1 of ${category}`, values['R@1'].toFixed(1), {
        note: `${ours[category].length} questions; ${text(values)}; BM25 R@1 ${plain['R@1'].toFixed(1)}`,
      });
    });
}

function byCategory(answers) {
  const groups = {};
  for (const answer of answers) {
    groups[answer.category] ??= [];
    groups[answer.category].push(answer);
  }
  return groups;
}

/** All measurements; for each question the ranks of its evidence in every ranking. */
export function jsonOf({ name, what, leftOut, groups }) {
  return {
    name,
    what,
    left_out: leftOut,
    groups: groups.map((group) => ({
      granularity: group.granularity,
      setting: group.setting,
      figures: figuresOf(group),
      by_category: Object.fromEntries(
        Object.entries(group.rankings).map(([ranking, answers]) => [
          ranking,
          Object.fromEntries(
            Object.entries(byCategory(answers)).map(([category, some]) => [
              category,
              { questions: some.length, ...measure(some) },
            ]),
          ),
        ]),
      ),
      questions: group.rankings[PRODUCT].map(({ question, category, relevant, ranked }, index) => ({
        question,
        category,
        evidence: relevant,
        ranks: Object.fromEntries(
          Object.entries(group.rankings).map(([ranking, answers]) => [
            ranking,
            relevant.map((id) => rankOf(answers[index].ranked, [id]) ?? null),
          ]),
        ),
        first: ranked.slice(0, SHOWN),
      })),
    })),
  };
}

/** The questions of the first group whose evidence is not at rank 1, with the id at rank 1. */
export function missesOf({ name, groups: [{ granularity, setting, rankings }] }) {
  const missed = rankings[PRODUCT]
    .map((answer, index) => ({
      ...answer,
      rank: rankOf(answer.ranked, answer.relevant),
      bm25: rankOf(rankings[BM25][index].ranked, answer.relevant),
    }))
    .filter(({ rank }) => rank !== 1);
  const lines = missed.map(
    ({ question, category, relevant, ranked, rank, bm25 }) =>
      `  ${`${rank ?? '–'}`.padStart(3)} (BM25 ${bm25 ?? '–'})  ${question}  [${category}; ${relevant.join(' ')}; first: ${ranked[0] ?? 'nothing'}]`,
  );
  return [`${name}, ${granularity}, ${setting}: ${missed.length} questions not at rank 1`, ...lines].join(
    '\n',
  );
}
