import type { CheckpointEvent } from '../../checkpoint/index.js';
import { type Part, textPart } from '../../core/parts.js';
import { withoutInjected, withoutQuotes } from '../../sanitiser/index.js';
import { closeAll, sessionOf } from './collect.js';
import type { SessionHistory } from './history.js';
import { openDatabase } from './layouts.js';
import type { DatabaseLocation } from './locate.js';
import { type Message, Notes, readMessages } from './messages.js';

/** A hook does not wait longer for another program's lock. */
const LOCK_MS = 100;

/**
 * The last messages of a session in opencode's database, without what programs injected and what the palace itself said.
 * Secrets stay: the reader sanitises what it tells. Yields nothing for an unknown session.
 *
 * @param most messages
 * @throws UserError as `openDatabase` does
 */
export function* sessionTail(
  databases: readonly DatabaseLocation[],
  sessionId: string,
  most: number,
): Generator<CheckpointEvent> {
  const opened: SessionHistory[] = [];
  try {
    let failure: unknown;
    for (const location of databases.filter(({ kind }) => kind === 'sqlite')) {
      try {
        opened.push(...openDatabase(location, LOCK_MS).histories);
      } catch (error) {
        failure ??= error;
      }
    }
    if (opened.length === 0 && failure !== undefined) throw failure;
    const copies = opened.flatMap((history) => {
      const row = history.session(sessionId);
      const change = row && history.changes([row]).get(row.id);
      return row === undefined || change === undefined ? [] : [{ row, change, history }];
    });
    if (copies.length === 0) return;
    const { row, history } = sessionOf(copies);
    const rows = {
      messageList: (id: string) => history.messageList(id).slice(-most),
      message: history.message.bind(history),
      partIds: history.partIds.bind(history),
      part: history.part.bind(history),
      strayPartIds: () => [],
      wholeOutput: () => undefined,
    };
    for (const message of readMessages(rows, row, new Notes())) yield* turnsOf(message);
  } finally {
    closeAll(opened);
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
