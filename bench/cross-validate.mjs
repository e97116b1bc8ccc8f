/**
 * What the weights of relevance are worth on questions that they were not chosen on: they are chosen again on all projects and
 * conversations but one, and judged on the one left out. Scores are summed up here, from the parts that the product computes.
 *
 *     node bench/cross-validate.mjs <dir> <output of retrieval.mjs --keep <dir> --against … --json>…
 */
import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { loadEmbedder } from '../dist/embedding/index.js';
import { Lookup } from '../dist/search/candidates.js';
import { findEvidence } from '../dist/search/evidence.js';
import { parseQuery } from '../dist/search/query.js';
import { rank } from '../dist/search/rank.js';
import { timesOf } from '../dist/search/time/question.js';
import { EVERYTHING, Palace } from '../dist/store/index.js';
import { differences, formatDifference } from './retrieval/difference.mjs';
import { distinct, MEASURES, measure, rankOf } from './retrieval/measures.mjs';
import { fileOf } from './retrieval/on-docs-dev.mjs';
import { renderTable, row } from './support/figures.mjs';
import { runBench } from './support/main.mjs';

/** The weights of `src/search/rank.ts`: a run fails if they do not give the product's ranks. */
const PRODUCT = { words: 0.35, source: 0.1, length: 0.08, beside: 0.1 };
const GRID = [0.25, 0.3, 0.35, 0.4, 0.45].flatMap((words) =>
  [0.05, 0.1, 0.15, 0.2].flatMap((source) =>
    [0.04, 0.06, 0.08, 0.1, 0.12].flatMap((length) =>
      [0.05, 0.1, 0.15].map((beside) => ({ words, source, length, beside })),
    ),
  ),
);
const [TIME, MACHINE, FINALISTS, HITS] = [0.3, 0.05, 30, 10];
/** The sets with folds, the measure that weights are chosen by, and the id of a drawer's source. */
const SETS = {
  'docs-dev': { by: 'hits', aim: 'MRR@10', fold: /^[^/]+/, palaces: 'docs-dev-', idOf: fileOf },
  LoCoMo: {
    by: 'shares',
    aim: 'nDCG@10',
    fold: /^conv-\d+/,
    palaces: '',
    idOf: ({ sessionId }) => sessionId,
  },
};

const mean = (values) => values.reduce((sum, value) => sum + value, 0) / values.length;

/** The questions of a set, in the palace of their fold and in that of all. */
function questionsOf(folder, { name, groups }) {
  const { fold, palaces, ...set } = SETS[name];
  const ofSources = groups.filter(({ granularity }) => granularity === 'file' || granularity === 'session');
  return ofSources.flatMap(({ setting, questions }, at) =>
    questions.map(({ question: text, evidence: relevant, ranks }) => {
      const [own] = fold.exec(relevant[0]);
      const palace = join(folder, 'palaces', `${palaces}${at === 0 ? own : 'all'}`);
      return { ...set, text, relevant, ranks, fold: own, palace, group: `${name}, ${setting}` };
    }),
  );
}

/** The parts of the scores of a question's candidates. (A search for ten sources looks for more if they have fewer: 1 of 1,290.) */
function partsOf(palace, { text, idOf }, vector) {
  const now = Date.now();
  const options = { ranking: 'relevance', halfLifeDays: 1, now, times: timesOf(text, now), here: new Set() };
  const lookup = new Lookup(palace, parseQuery(text), vector, EVERYTHING);
  const { candidates } = lookup.find(50);
  const beside = new Map();
  // Only finalists have neighbours, and other weights have other finalists: each candidate is one of them once.
  for (let at = 0; at < candidates.length; at += FINALISTS) {
    const evidence = findEvidence(lookup, [...candidates.slice(at), ...candidates.slice(0, at)]);
    for (const { drawer } of candidates.slice(at, at + FINALISTS))
      beside.set(drawer.id, evidence.get(drawer.id).beside);
  }
  return rank(lookup, candidates, options).map(({ drawer, scores }) => ({
    ...scores,
    id: drawer.id,
    hit: idOf(drawer),
    beside: beside.get(drawer.id),
    chance: Math.sqrt(Math.log(scores.drawers)),
    rest: TIME * (scores.time ?? 0) - (/config|generated/.test(drawer.textKind) ? MACHINE : 0),
  }));
}

/** The answer to a question by some weights: its first ten sources. */
function answerBy({ words, source, length, beside }, { parts, relevant }) {
  const matched = parts.map((each) => ({ each, match: words * each.words + (1 - words) * each.semantic }));
  matched.sort((a, b) => b.match - a.match || a.each.id - b.each.id);
  const scored = matched.map(({ each, match }, at) => {
    const around = (at < FINALISTS ? beside * each.beside : 0) + source * each.source;
    return { each, score: Math.max(0, match + around + each.rest - length * each.chance) };
  });
  scored.sort((a, b) => b.score - a.score || a.each.id - b.each.id);
  return { relevant, ranked: distinct(scored.map(({ each }) => each.hit)).slice(0, HITS) };
}

/** The answer of a ranking of the figures, which contain the ranks of the relevant sources. */
function answerOf(ranking, { relevant, ranks }) {
  const at = (place) => relevant[ranks[ranking].indexOf(place)] ?? `other ${place}`;
  return { relevant, ranked: Array.from({ length: HITS }, (_, index) => at(index + 1)) };
}

async function addParts(questions) {
  const embedder = await loadEmbedder();
  for (const each of questions) {
    const [vector] = await embedder.embed([parseQuery(each.text).meaning], 'query');
    const palace = Palace.read(each.palace);
    each.parts = palace.snapshot(() => partsOf(palace, each, vector));
    palace.close();
    const [ours, theirs] = [answerBy(PRODUCT, each), answerOf('default', each)];
    if (each.relevant.some((id) => rankOf(ours.ranked, [id]) !== rankOf(theirs.ranked, [id])))
      throw new Error(`the product ranks otherwise: ${each.text} (${each.group})`);
  }
  await embedder.close();
}

/** For each fold the weights with the best mean over the other folds. */
function chooseWithout(folds, questions) {
  const gains = GRID.map((weights) => {
    const each = questions.map((question) => {
      const { ranked, relevant } = answerBy(weights, question);
      return MEASURES[question.by][question.aim](ranked, relevant);
    });
    return folds.map((fold) => mean(each.filter((_, at) => questions[at].fold === fold)));
  });
  return folds.map((_, left) => {
    const means = gains.map((each) => mean(each.filter((_, fold) => fold !== left)));
    return GRID[means.indexOf(Math.max(...means))];
  });
}

await runBench(async () => {
  const [folder, ...files] = process.argv.slice(2);
  const sets = files.flatMap((file) => JSON.parse(readFileSync(file, 'utf8')).sets);
  const known = sets.filter(({ name }) => name in SETS);
  const questions = known.flatMap((set) => questionsOf(resolve(folder), set));
  await addParts(questions);
  const folds = distinct(questions.map(({ fold }) => fold));
  const chosen = chooseWithout(folds, questions);
  const rows = folds.map((fold, at) => row(`without ${fold}`, '', { note: JSON.stringify(chosen[at]) }));
  for (const group of distinct(questions.map((each) => each.group))) {
    const some = questions.filter((each) => each.group === group);
    const [{ by }] = some;
    const left = some.map((each) => answerBy(chosen[folds.indexOf(each.fold)], each));
    const answers = (ranking) => some.map((each) => answerOf(ranking, each));
    const [before, product] = ['before', 'default'].map((name) => differences(left, answers(name), by));
    for (const [of, value] of Object.entries(measure(left, by))) {
      const note = `${formatDifference(before[of])} to before, ${formatDifference(product[of])} to the product`;
      rows.push(row(`${group}, ${of}`, value.toFixed(1), { note }));
    }
  }
  process.stdout.write(`${renderTable(rows)}\n`);
});
