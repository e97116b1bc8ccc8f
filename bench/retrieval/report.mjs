/** The figures of a set as rows of the benches' table and as JSON, and the missed questions as text. */
import { row } from '../support/figures.mjs';
import { differences, formatDifference, signed } from './difference.mjs';
import { mapValues, measure, rankOf } from './measures.mjs';

const PRODUCT = 'default';
const BM25 = 'BM25';
/** Rankings with a difference and its interval. */
const COMPARED = ['whole', 'before', 'with summaries', 'summaries alone'];
/** How rankings are named in the table. */
const NAMES = { whole: 'whole-source BM25' };
/** Ids shown of a ranking in JSON and in the list of misses. */
const SHOWN = 10;

/**
 * @typedef {{ question: string, category: string, source: string, relevant: string[], ranked: string[] }} Answer `category` is the
 *   kind of the question, `source` that of the text that answers it
 * @typedef {object} Group one granularity in one setting
 * @property {string} granularity
 * @property {string} setting
 * @property {'shares' | 'hits'} measures see `MEASURES`
 * @property {Record<string, Answer[]>} rankings the same questions under each ranking; `whole` is the baseline, `before` the other
 *   checkout
 * @property {Record<string, number>} [least] measures that the product must reach, in per cent
 * @property {boolean} [beatsBm25] whether it must be better than BM25 alone
 * @property {boolean} byKind whether it has rows by kind
 */

/** Every measure of every ranking of a group. */
const figuresOf = ({ rankings, measures }) => mapValues(rankings, (answers) => measure(answers, measures));

/** The differences to the compared rankings of a group, by ranking and measure. */
const differencesOf = ({ rankings, measures }) =>
  Object.fromEntries(
    COMPARED.filter((name) => name in rankings).map((name) => [
      name,
      differences(rankings[PRODUCT], rankings[name], measures),
    ]),
  );

/** The lines of the table: the product's figure, its target, and the baselines; or those that a set has made itself. */
export function rowsOf(set) {
  if (set.rows !== undefined) return set.rows;
  const asked = Object.values(set.groups[0].rankings)[0].length;
  const rows = [
    row(`${set.name}: ${set.what}`, `${asked}`, { note: `questions; ${set.leftOut.length} left out` }),
  ];
  for (const group of set.groups) {
    const figures = figuresOf(group);
    const apart = differencesOf(group);
    const others = Object.keys(figures).filter((name) => name !== PRODUCT);
    for (const measured of Object.keys(figures[PRODUCT])) {
      const noteOf = (name) => {
        const difference = apart[name]?.[measured];
        const behind = difference === undefined ? '' : ` (${formatDifference(difference)})`;
        return `${NAMES[name] ?? name} ${figures[name][measured].toFixed(1)}${behind}`;
      };
      rows.push(
        row(`  ${group.granularity}, ${group.setting}, ${measured}`, figures[PRODUCT][measured].toFixed(1), {
          ...targetOf(group, measured, figures),
          note: [...COMPARED.filter((name) => name in apart), ...others.filter((name) => !(name in apart))]
            .map(noteOf)
            .join(', '),
        }),
      );
    }
  }
  return [...rows, ...set.groups.filter(({ byKind }) => byKind).flatMap(kindRows)];
}

function targetOf({ least = {}, beatsBm25 = false }, measured, figures) {
  const ours = figures[PRODUCT][measured];
  const checks = [];
  if (least[measured] !== undefined) checks.push([`≥ ${least[measured]}`, ours >= least[measured]]);
  if (beatsBm25) checks.push(['> BM25', ours > figures[BM25][measured]]);
  if (checks.length === 0) return {};
  return { target: checks.map(([text]) => text).join(', '), met: checks.every(([, met]) => met) };
}

/** A group by kind of question and by kind of source: the first measure of the product, and all of it and of the others. */
function kindRows(group) {
  return ['category', 'source'].flatMap((by) =>
    Object.entries(figuresByKind(group, by)).map(([kind, { questions, figures }]) => {
      const { [PRODUCT]: ours, ...others } = figures;
      const [first] = Object.keys(ours);
      const all = (values) =>
        Object.values(values)
          .map((value) => value.toFixed(1))
          .join(' ');
      const than = COMPARED.filter((name) => name in others).map((name) => {
        const points = Object.keys(ours).map((measured) => signed(ours[measured] - others[name][measured]));
        return `${NAMES[name] ?? name} ${all(others[name])} (${points.join(' ')})`;
      });
      const name = `  ${group.granularity}, ${group.setting}, ${first} of ${by === 'source' ? 'answers in ' : ''}${kind}`;
      return row(name, ours[first].toFixed(1), {
        note: [`${questions} questions; ${Object.keys(ours).join(' ')}: ${all(ours)}`, ...than].join('; '),
      });
    }),
  );
}

/** Every measure of every ranking, by kind, in the order of the kinds' names. */
function figuresByKind({ rankings, measures }, by) {
  const kinds = [...new Set(rankings[PRODUCT].map((answer) => answer[by]))].sort();
  return Object.fromEntries(
    kinds.map((kind) => {
      const some = mapValues(rankings, (answers) => answers.filter((answer) => answer[by] === kind));
      return [kind, { questions: some[PRODUCT].length, figures: figuresOf({ rankings: some, measures }) }];
    }),
  );
}

/** All measurements; for each question the ranks of its evidence in every ranking. */
export function jsonOf({ name, what, leftOut, groups, figures }) {
  return {
    name,
    what,
    ...(figures && { figures }),
    left_out: leftOut,
    groups: groups.map((group) => ({
      granularity: group.granularity,
      setting: group.setting,
      figures: figuresOf(group),
      differences: differencesOf(group),
      by_category: figuresByKind(group, 'category'),
      by_source: figuresByKind(group, 'source'),
      questions: group.rankings[PRODUCT].map(({ question, category, source, relevant, ranked }, index) => ({
        question,
        category,
        source,
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
      bm25: rankOf(rankings[BM25]?.[index].ranked ?? [], answer.relevant),
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
