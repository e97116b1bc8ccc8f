/**
 * What the hook at the first prompt of a session would give: for each threshold of a hit's relevance, how many questions get
 * passages, and how many of the passages contain the answer. Questions of the other set have no answer in a palace: all that
 * they get is wrong.
 */
import { join } from 'node:path';
import { row } from '../support/figures.mjs';
import { loadConversations } from './conversations.mjs';
import { fileDocsDev, fileOf, loadDocsDev } from './on-docs-dev.mjs';
import { stageConversation } from './stage.mjs';
import { turnsOf } from './turns.mjs';

/** Passages per prompt, at most, as the hook gives them. */
const MOST_PASSAGES = 3;
const THRESHOLDS = [0.4, 0.45, 0.5, 0.55, 0.6, 0.65, 0.7, 0.75];

/** @returns {Promise<object | undefined>} a set with `rows` of its own; undefined if a set of questions is missing */
export async function benchPrompts(product, folder, note) {
  const docs = loadDocsDev();
  const talks = loadConversations();
  if (docs === undefined || !talks.locomo) {
    note('prompt is left out: it needs docs-dev and LoCoMo in ../shared/data');
    return undefined;
  }
  const palaces = {
    docs: await fileDocsDev(product, folder, note),
    talks: await fileTalks(product, folder, talks),
  };
  const turns = new Map(
    talks.conversations.flatMap(({ sessions }) => sessions.map((each) => [each.sessionId, each.turns])),
  );
  const inDocs = docs.questions.map(({ text, files }) => {
    const answers = (hit) => files.includes(fileOf(hit));
    return { text, answers, isNear: answers };
  });
  const inTalks = talks.conversations.flatMap(({ questions }) =>
    questions.map(({ text, turns: evidence, sessions }) => ({
      text,
      answers: (hit) => toldTurns(hit, turns).some((turn) => evidence.includes(turn)),
      isNear: (hit) => sessions.includes(hit.session_id),
    })),
  );
  const never = (questions) =>
    questions.map(({ text }) => ({ text, answers: () => false, isNear: () => false }));
  const cases = [
    ['docs-dev', palaces.docs, inDocs],
    ['docs-dev, questions of LoCoMo', palaces.docs, never(inTalks)],
    ['LoCoMo', palaces.talks, inTalks],
    ['LoCoMo, questions of docs-dev', palaces.talks, never(inDocs)],
  ];
  const figures = [];
  for (const [name, palace, questions] of cases) {
    const given = await givenTo(product, palace, questions);
    figures.push(...THRESHOLDS.map((threshold) => ({ name, ...measured(given, threshold) })));
    note(`prompt, ${name}: done`);
  }
  const what = `what at most ${MOST_PASSAGES} passages per first prompt are worth`;
  return { name: 'prompt', what, leftOut: [], groups: [], rows: figures.map(rowOf), figures };
}

async function fileTalks(product, folder, { conversations }) {
  const palace = join(folder, 'palaces', 'all');
  for (const conversation of conversations) {
    const staged = join(folder, 'transcripts', conversation.id);
    stageConversation(conversation, staged);
    const into = ['--mode', 'convos', '--wing', `wing_${conversation.id}`, '--palace', palace];
    await product.mine('mempalace', ['mine', staged, ...into], conversation.sessions.length);
  }
  return palace;
}

/** The turns in the hit's own drawer, which is what the hook tells. */
const toldTurns = ({ passage: _, ...hit }, turns) => turnsOf(hit, turns.get(hit.session_id) ?? []);

/** For each question the hits that may be told, best first: their relevance, whether they answer, and whether their source does. */
async function givenTo(product, palace, questions) {
  const asked = questions.map(({ text }) => text);
  const documents = await product.answers(palace, asked, { by: 'source', ranking: 'default' });
  return documents.map(({ weak, hits }, at) =>
    (weak ? [] : hits.slice(0, MOST_PASSAGES)).map((hit) => {
      const { answers, isNear } = questions[at];
      return { score: hit.scores.relevance, right: answers(hit), near: isNear(hit) };
    }),
  );
}

function measured(given, threshold) {
  const told = given.map((hits) => hits.filter(({ score }) => score >= threshold));
  const passages = told.flat();
  const right = passages.filter((passage) => passage.right).length;
  return {
    threshold,
    questions: told.length,
    withPassages: told.filter((hits) => hits.length > 0).length,
    withAnswer: told.filter((hits) => hits.some((hit) => hit.right)).length,
    passages: passages.length,
    right,
    near: passages.filter((passage) => passage.near).length,
  };
}

const percent = (part, whole) => (whole === 0 ? '–' : `${((100 * part) / whole).toFixed(1)} %`);

function rowOf({ name, threshold, questions, withPassages, withAnswer, passages, right, near }) {
  return row(`  ${name}, from ${threshold.toFixed(2)}: right passages`, percent(right, passages), {
    note: [
      `${passages} passages, ${percent(near, passages)} from the right source`,
      `${percent(withPassages, questions)} of ${questions} questions get any`,
      `${percent(withAnswer, questions)} get an answer`,
    ].join('; '),
  });
}
