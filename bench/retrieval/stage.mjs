/** Sessions as Claude Code writes them: one JSON object a line, the user's and the assistant's turns in order. */
import { createHash } from 'node:crypto';
import { mkdirSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const MINUTE = 60_000;

/** The lines of one session; a turn takes a minute. The same session gives the same bytes everywhere. */
function transcriptOf(session, cwd) {
  const { sessionId, title, startMs, turns } = session;
  const ids = turns.map((turn) => uuidOf(turn.id));
  const lines = turns.map(({ role, text }, index) => ({
    parentUuid: index === 0 ? null : ids[index - 1],
    isSidechain: false,
    userType: 'external',
    cwd,
    sessionId,
    version: '2.0.0',
    type: role,
    message: { role, content: role === 'user' ? text : [{ type: 'text', text }] },
    uuid: ids[index],
    timestamp: new Date(startMs + index * MINUTE).toISOString(),
  }));
  const summary = title === undefined ? [] : [{ type: 'summary', summary: title, leafUuid: ids.at(-1) }];
  return [...summary, ...lines].map((line) => `${JSON.stringify(line)}\n`).join('');
}

/** Writes a transcript for each session of a conversation; files are as old as the session's last turn. */
export function stageConversation(conversation, folder) {
  mkdirSync(folder, { recursive: true });
  for (const session of conversation.sessions) {
    const file = join(folder, `${session.sessionId}.jsonl`);
    writeFileSync(file, transcriptOf(session, `/home/reader/${conversation.id}`));
    const ended = new Date(session.startMs + session.turns.length * MINUTE);
    utimesSync(file, ended, ended);
  }
}

function uuidOf(name) {
  const hex = createHash('sha256').update(name).digest('hex');
  const [a, b, c, d] = [hex.slice(0, 8), hex.slice(8, 12), hex.slice(13, 16), hex.slice(17, 20)];
  return `${a}-${b}-5${c}-8${d}-${hex.slice(20, 32)}`;
}
