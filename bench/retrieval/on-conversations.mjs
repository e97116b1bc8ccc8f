/** The bench over conversations: stage, mine, search, and count the ranks of the evidence. */
import { join } from 'node:path';
import { loadConversations } from './conversations.mjs';
import { distinct } from './measures.mjs';
import { stageConversation } from './stage.mjs';
import { turnsOf } from './turns.mjs';
import { WholeSources } from './whole-sources.mjs';

/** LoCoMo's development set, sessions, one palace per conversation. */
const LEAST = { 'R@1': 66, 'R@5': 88, 'R@10': 95 };
const EACH = 'one palace each';

/**
 * @param {import('./product.mjs').Product} product
 * @param {string} folder for transcripts and palaces; filed sources are not filed again
 * @returns {Promise<object>} a set as `report.mjs` prints it
 */
export async function benchConversations(product, folder, note) {
  const { name, locomo, conversations, leftOut } = loadConversations();
  const settings = await fileAll(product, folder, conversations, note);
  const groups = [];
  for (const [granularity, by] of [
    ['session', 'source'],
    ['turn', 'drawer'],
  ]) {
    for (const { setting, palaces } of settings) {
      const rankings = {};
      for (const ranking of product.rankings) {
        rankings[ranking] = [];
        for (const each of palaces)
          rankings[ranking].push(...(await answersOf(product, each, { granularity, by, ranking }, note)));
        note(`${name}, ${granularity}, ${setting}: ${ranking} done`);
      }
      if (granularity === 'session') rankings.whole = palaces.flatMap(wholeAnswers);
      const first = granularity === 'session' && setting === EACH;
      const least = locomo && first ? LEAST : {};
      groups.push({
        granularity,
        setting,
        measures: 'shares',
        rankings,
        least,
        beatsBm25: locomo,
        byKind: first,
      });
    }
  }
  const sessions = conversations.reduce((sum, each) => sum + each.sessions.length, 0);
  const what = `${conversations.length} conversations of ${sessions} sessions`;
  return { name, what, leftOut, groups };
}

async function fileAll(product, folder, conversations, note) {
  const all = join(folder, 'palaces', 'all');
  const each = [];
  let sessions = 0;
  for (const conversation of conversations) {
    const { id } = conversation;
    const staged = join(folder, 'transcripts', id);
    const palace = join(folder, 'palaces', id);
    stageConversation(conversation, staged);
    const args = (into) => ['mine', staged, '--mode', 'convos', '--wing', `wing_${id}`, '--palace', into];
    const { drawers_total } = await product.mine('mempalace', args(palace), conversation.sessions.length);
    await product.mine('mempalace', args(all), conversation.sessions.length);
    sessions += conversation.sessions.length;
    note(`${id}: ${conversation.sessions.length} sessions, ${drawers_total} drawers`);
    each.push({ palace, conversations: [conversation] });
  }
  return [
    { setting: EACH, palaces: each },
    { setting: `${sessions} in one`, palaces: [{ palace: all, conversations }] },
  ];
}

async function answersOf(product, { palace, conversations }, { granularity, by, ranking }, note) {
  const asked = questionsOf(conversations);
  const turns = new Map(conversations.flatMap((c) => c.sessions.map((s) => [s.sessionId, s.turns])));
  const questions = asked.map(({ text }) => text);
  const answers = await product.ask(palace, questions, { by, ranking });
  let unknown = 0;
  const ranked = answers.map((hits) => {
    if (granularity === 'session') return distinct(hits.map((hit) => hit.session_id));
    return distinct(
      hits.flatMap((hit) => {
        const found = turnsOf(hit, turns.get(hit.session_id) ?? []);
        if (found.length === 0) unknown += 1;
        return found;
      }),
    );
  });
  if (unknown > 0) note(`${unknown} hits of ${ranking} hold no turn that was staged`);
  return asked.map((question, index) => answerOf(question, granularity, ranked[index]));
}

const questionsOf = (conversations) =>
  conversations.flatMap((conversation) =>
    conversation.questions.map((question) => ({ ...question, conversation: conversation.id })),
  );

const answerOf = ({ text, category, conversation, sessions, turns }, granularity, ranked) => ({
  question: text,
  category,
  source: 'session',
  conversation,
  relevant: granularity === 'session' ? sessions : turns,
  ranked,
});

/** The baseline over the same sessions as a palace. */
function wholeAnswers({ conversations }) {
  const whole = new WholeSources(
    conversations.flatMap(({ id, sessions }) =>
      sessions.map(({ sessionId, title = '', turns }) => {
        const text = turns.map((turn) => turn.text).join('\n\n');
        return { id: sessionId, scope: id, name: title, text };
      }),
    ),
  );
  return questionsOf(conversations).map((each) => answerOf(each, 'session', whole.rank(each.text)));
}
