/**
 * Conversations with questions, in the shape of LoCoMo: sessions of dated dialog turns, and questions whose
 * evidence are turns. LoCoMo itself is CC BY-NC and never part of this project: it is read from its own folder,
 * and a small set of our own replaces it if it is missing.
 */
import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const LOCOMO = fileURLToPath(new URL('../../../shared/data/locomo-dev.json', import.meta.url));
const OWN = fileURLToPath(new URL('./own-set.json', import.meta.url));

/** LoCoMo's question categories by their numbers. */
const CATEGORIES = { 1: 'multi-hop', 2: 'temporal', 3: 'open domain', 4: 'single hop', 5: 'adversarial' };
const MONTHS = 'January February March April May June July August September October November December';

/**
 * @returns {{ name: string, locomo: boolean, conversations: object[], leftOut: { question: string, reason: string }[] }}
 *   conversations as `readConversation` gives them
 */
export function loadConversations() {
  const locomo = existsSync(LOCOMO);
  const read = JSON.parse(readFileSync(locomo ? LOCOMO : OWN, 'utf8')).map(readConversation);
  return {
    name: locomo ? 'LoCoMo' : 'own set',
    locomo,
    conversations: read,
    leftOut: read.flatMap((conversation) => conversation.leftOut),
  };
}

/**
 * One conversation with names that are unique in the whole set: `sessionId` of sessions and `id` of turns
 * contain the name of the conversation. The first speaker of the conversation is the user in all of its sessions.
 */
export function readConversation({ id, sessions, qa }) {
  const user = sessions[0].turns[0].speaker;
  const staged = sessions.map((session) => ({
    sessionId: `${id}-${session.id}`,
    title: session.title,
    startMs: dateOf(session.date),
    turns: session.turns.map(({ dia_id, speaker, text }) => ({
      id: `${id}:${dia_id}`,
      role: speaker === user ? 'user' : 'assistant',
      text: `${speaker}: ${text}`,
    })),
  }));
  const sessionOf = new Map(staged.flatMap((s) => s.turns.map((turn) => [turn.id, s.sessionId])));
  const [questions, leftOut] = [[], []];
  for (const { question, evidence, category } of qa) {
    const named = evidenceOf(evidence).map((dialog) => `${id}:${dialog}`);
    const turns = [...new Set(named.filter((turn) => sessionOf.has(turn)))];
    if (turns.length === 0) {
      leftOut.push({ question, reason: named.length === 0 ? 'no evidence' : 'evidence of no turn' });
      continue;
    }
    const where = [...new Set(turns.map((turn) => sessionOf.get(turn)))];
    const text = question.replace(/\s+/g, ' ').trim();
    questions.push({ text, category: CATEGORIES[category] ?? `${category}`, turns, sessions: where });
  }
  return { id, sessions: staged, questions, leftOut };
}

/** LoCoMo sometimes puts several turns into one string (`D8:6; D9:17`). */
const evidenceOf = (evidence) =>
  evidence.flatMap((entry) => [...entry.matchAll(/D(\d+):(\d+)/g)].map(([, s, t]) => `D${+s}:${+t}`));

/**
 * Milliseconds (UTC) of a date as LoCoMo writes it: `1:56 pm on 8 May, 2023`.
 * @throws when it is not a date
 */
export function dateOf(text) {
  const found = /^(\d+):(\d+) (am|pm) on (\d+) (\w+),? (\d+)$/.exec(text.trim());
  const month = MONTHS.split(' ').indexOf(found?.[5] ?? '');
  if (found === null || month === -1) throw new Error(`not a date: ${text}`);
  const [hour, minute, day, year] = [found[1], found[2], found[4], found[6]].map(Number);
  return Date.UTC(year, month, day, (hour % 12) + (found[3] === 'pm' ? 12 : 0), minute);
}
