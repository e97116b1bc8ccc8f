import type { CheckpointEvent } from '../../checkpoint/index.js';
import { type Part, textPart } from '../../core/parts.js';
import { withoutInjected, withoutQuotes } from '../../sanitiser/index.js';
import type { DatabaseLocation } from './locate.js';
import { type Message, Notes, readMessages } from './messages.js';
import { openSqlite } from './open.js';
import { History } from './rows.js';

/** A hook does not wait longer for another program's lock. */
const LOCK_MS = 100;

/**
 * The last messages of a session in opencode's database, without what programs injected and what the palace itself said.
 * Secrets stay: the reader sanitises what it tells. Yields nothing for an unknown session.
 *
 * @param most messages
 * @throws UserError as `openSqlite` does
 */
export function* sessionTail(
  databases: readonly DatabaseLocation[],
  sessionId: string,
  most: number,
): Generator<CheckpointEvent> {
  for (const { path, kind } of databases) {
    if (kind !== 'sqlite') continue;
    const history = new History(path, openSqlite(path, LOCK_MS));
    try {
      const row = history.session(sessionId);
      if (row === undefined) continue;
      const rows = {
        messageIds: (id: string) => history.messageIds(id).slice(-most),
        message: history.message.bind(history),
        partIds: history.partIds.bind(history),
        part: history.part.bind(history),
        strayPartIds: () => [],
      };
      for (const message of readMessages(rows, row, new Notes())) yield* turnsOf(message);
      return;
    } finally {
      history.close();
    }
  }
}

/** Results of tools follow their calls, and precede the next words of the message. */
function* turnsOf({ role, timeMs, data, blocks }: Message): Generator<CheckpointEvent> {
  const at = new Date(timeMs).toISOString();
  const compaction = role === 'assistant' && data.summary === true ? {} : undefined;
  let own: Part[] = [];
  let results: Part[] = [];
  const take = function* (): Generator<CheckpointEvent> {
    if (own.length > 0) yield { kind: 'turn', role, parts: own, spoken: role === 'user', at, compaction };
    if (results.length > 0) yield { kind: 'turn', role: 'user', parts: results, spoken: false, at };
    [own, results] = [[], []];
  };
  for (const block of blocks) {
    if (block.kind === 'text') {
      if (results.length > 0) yield* take();
      own.push(textPart(role === 'user' ? withoutInjected(withoutQuotes(block.text).text) : block.text));
    } else {
      const { partId: id, name, input, output: text, isError: error } = block;
      own.push({ kind: 'call', id, name, input });
      results.push({ kind: 'result', id, text, error });
    }
  }
  yield* take();
}
