/**
 * Whether summaries help search: the sessions of LoCoMo alone, and beside a summary of each that was made by rules
 * (`extract.mjs`). A hit in a summary counts as a hit in its session.
 */
import { mkdirSync, utimesSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { loadConversations } from './conversations.mjs';
import { extracts } from './extract.mjs';
import { distinct } from './measures.mjs';
import { stageConversation } from './stage.mjs';
import { turnsOf } from './turns.mjs';

const BESIDE = 'with summaries';
const ALONE = 'summaries alone';

/** @returns {Promise<object>} a set as `report.mjs` prints it */
export async function benchSummaries(product, folder, note) {
  const { name, conversations, leftOut } = loadConversations();
  const rankings = { session: empty(), turn: empty() };
  for (const conversation of conversations) {
    const { bare, beside } = await fileBoth(product, join(folder, 'summaries'), conversation);
    const ask = async (granularity, ranking, palace, flags = []) => {
      const answers = await answersOf(product, conversation, { granularity, palace, flags });
      rankings[granularity][ranking].push(...answers);
    };
    for (const granularity of ['session', 'turn']) {
      await ask(granularity, 'default', bare);
      await ask(granularity, BESIDE, beside);
    }
    await ask('session', ALONE, beside, ['--type', 'document']);
    note(`${name}, ${conversation.id}: sessions without and with summaries done`);
  }
  delete rankings.turn[ALONE];
  const groups = Object.entries(rankings).map(([granularity, of]) => {
    return { granularity, setting: 'one palace each', measures: 'shares', rankings: of, byKind: false };
  });
  const what = 'sessions without summaries, and beside summaries by rules';
  return { name: `${name}, summaries`, what, leftOut, groups };
}

const empty = () => ({ default: [], [BESIDE]: [], [ALONE]: [] });

/** Two palaces: one of the sessions, and one that contains their summaries, too. */
async function fileBoth(product, folder, conversation) {
  const { id, sessions } = conversation;
  const [staged, summaries] = [join(folder, 'transcripts', id), join(folder, 'extracts', id)];
  stageConversation(conversation, staged);
  mkdirSync(summaries, { recursive: true });
  const texts = extracts(sessions.map(({ turns }) => turns.map(({ text }) => text).join('\n')));
  for (const [at, { sessionId, startMs, turns }] of sessions.entries()) {
    const file = join(summaries, `${sessionId}.md`);
    const ended = new Date(startMs + turns.length * 60_000);
    writeFileSync(file, `# Summary, ${ended.toISOString().slice(0, 10)}\n\n${texts[at]}\n`);
    utimesSync(file, ended, ended);
  }
  const [bare, beside] = [join(folder, 'palaces', id), join(folder, 'palaces', `${id}-beside`)];
  for (const palace of [bare, beside]) {
    const into = ['--mode', 'convos', '--wing', `wing_${id}`, '--palace', palace];
    await product.mine('mempalace', ['mine', staged, ...into], sessions.length);
  }
  const into = ['--wing', `wing_${id}`, '--palace', beside];
  await product.mine('mempalace-docs', [summaries, ...into], sessions.length);
  return { bare, beside };
}

async function answersOf(product, { id, sessions, questions }, { granularity, palace, flags }) {
  const turns = new Map(sessions.map((session) => [session.sessionId, session.turns]));
  const isSession = granularity === 'session';
  const by = isSession ? 'source' : 'drawer';
  const asked = questions.map(({ text }) => text);
  const answers = await product.ask(palace, asked, { by, ranking: 'default', flags });
  return questions.map(({ text, category, sessions: where, turns: evidence }, at) => {
    const found = isSession
      ? answers[at].map(({ session_id, origin }) => session_id ?? basename(origin, '.md'))
      : // A summary takes the place of a turn: that is what it costs.
        answers[at].flatMap((hit) => turnsOf(hit, turns.get(hit.session_id) ?? []));
    return {
      ...{ question: text, category, source: 'session', conversation: id },
      relevant: isSession ? where : evidence,
      ranked: distinct(found),
    };
  });
}
