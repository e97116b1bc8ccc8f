/**
 * The bench over short sources: sessions of a few turns, diary entries, single drawers that an agent files, and small documents,
 * among long sources about the same things. The short source is the answer.
 */
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { longDocuments, longSessions } from './distractors.mjs';
import { distinct } from './measures.mjs';
import { stageConversation } from './stage.mjs';
import { WholeSources } from './whole-sources.mjs';

const SHORT = new URL('./short-sources.json', import.meta.url);
const WING = 'wing_parcel_hub';
const AGENT = 'scribe';
const DAY_MS = 86_400_000;

/** Everything that is filed, by kind; the questions with their answers' ids. */
export function loadShortSources() {
  const short = JSON.parse(readFileSync(SHORT, 'utf8'));
  const of = (wanted) => short.filter(({ kind }) => kind === wanted);
  const sessions = [
    ...of('session').map(({ id, title, date, turns }) => ({ id, title, startMs: Date.parse(date), turns })),
    ...longSessions().map(({ title, turns }, at) => {
      return { id: `long-${at}`, title, startMs: Date.parse('2026-03-02') + at * 5 * DAY_MS, turns };
    }),
  ];
  const documents = [...of('document').map(({ id, text }) => ({ path: id, text })), ...longDocuments()];
  const questions = short.flatMap(({ id, kind, questions: asked }) =>
    asked.map((text) => ({ text, answer: id, kind })),
  );
  return { sessions, documents, entries: of('diary'), drawers: of('drawer'), questions };
}

/** @returns {Promise<object>} a set as `report.mjs` prints it */
export async function benchShortSources(product, folder, note) {
  const set = loadShortSources();
  const palace = join(folder, 'palaces', 'short');
  // Written texts are not filed twice on purpose, so an earlier palace is not kept.
  rmSync(palace, { recursive: true, force: true });
  const idOf = await fileAll(product, set, { folder, palace });
  note(`short sources: ${set.questions.length} questions`);
  const rankings = {};
  const answersBy = (rankedOf) =>
    set.questions.map((question, at) => ({
      question: question.text,
      category: question.kind,
      source: 'short',
      relevant: [question.answer],
      ranked: rankedOf(question, at),
    }));
  const asked = set.questions.map(({ text }) => text);
  for (const ranking of product.rankings) {
    const hits = await product.ask(palace, asked, { by: 'source', ranking });
    rankings[ranking] = answersBy((_, at) => distinct(hits[at].map(idOf)));
  }
  const whole = new WholeSources(wholeTexts(set));
  rankings.whole = answersBy(({ text }) => whole.rank(text));
  const groups = [{ granularity: 'source', setting: 'one palace', measures: 'hits', rankings, byKind: true }];
  return { name: 'short sources', what: 'beside long ones about the same', leftOut: [], groups };
}

/** Files everything with the product's commands; returns the id of a hit's source. */
async function fileAll(product, { sessions, documents, entries, drawers }, { folder, palace }) {
  const [staged, project] = [join(folder, 'short', 'sessions'), join(folder, 'short', 'parcel-hub')];
  rmSync(join(folder, 'short'), { recursive: true, force: true });
  const conversation = sessions.map(({ id, title, startMs, turns }) => ({
    sessionId: id,
    title,
    startMs,
    turns: turns.map((text, at) => ({ id: `${id}:${at}`, role: at % 2 === 0 ? 'user' : 'assistant', text })),
  }));
  stageConversation({ id: 'parcel-hub', sessions: conversation }, staged);
  for (const { path, text } of documents) {
    mkdirSync(dirname(join(project, path)), { recursive: true });
    writeFileSync(join(project, path), text);
  }
  const into = ['--wing', WING, '--palace', palace];
  await product.mine('mempalace', ['mine', staged, '--mode', 'convos', ...into], sessions.length);
  await product.mine('mempalace-docs', [project, ...into], documents.length);
  const written = new Map();
  for (const { id, topic, text } of entries) {
    const args = ['diary', 'write', text, '--agent', AGENT, '--topic', topic, '--palace', palace, '--json'];
    const { drawers: filed } = JSON.parse(await product.run('mempalace', args));
    for (const drawer of filed) written.set(drawer, id);
  }
  const calls = drawers.map(({ room, text }) => ['add_drawer', { wing: WING, room, content: text }]);
  const answers = await product.call(calls, palace);
  for (const [at, { drawer_id }] of answers.entries()) written.set(drawer_id, drawers[at].id);
  return ({ session_id, drawer_id, origin }) =>
    session_id ?? written.get(drawer_id) ?? pathIn(project, origin);
}

const pathIn = (project, origin) =>
  origin.includes(`${project}/`) ? origin.split(`${project}/`)[1] : origin;

/** The same for the baseline. */
const wholeTexts = ({ sessions, documents, entries, drawers }) =>
  [
    ...sessions.map(({ id, title, turns }) => ({ id, name: title, text: turns.join('\n\n') })),
    ...documents.map(({ path, text }) => ({ id: path, name: path, text })),
    ...entries.map(({ id, topic, text }) => ({ id, name: topic, text })),
    ...drawers.map(({ id, room, text }) => ({ id, name: room, text })),
  ].map((source) => ({ ...source, scope: '' }));
