import type { CheckpointEvent } from '../../checkpoint/index.js';
import { type Part, textPart } from '../../core/parts.js';
import { withoutInjected, withoutQuotes } from '../../sanitiser/index.js';
import { partsOf } from './blocks.js';
import { closeAll, sessionOf } from './collect.js';
import type { SessionHistory } from './history.js';
import { openDatabase } from './layouts.js';
import type { DatabaseLocation } from './locate.js';
import { Notes, readMessages } from './messages.js';

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
    };
    for (const { role, timeMs, data, blocks } of readMessages(rows, row, new Notes())) {
      const at = new Date(timeMs).toISOString();
      const compaction = role === 'assistant' && data.summary === true ? {} : undefined;
      for (const { own, results } of partsOf(blocks, ({ partId }) => partId)) {
        const parts = role === 'user' ? own.map(spoken) : own;
        yield { kind: 'turn', role, parts, spoken: role === 'user', at, compaction };
        if (results.length > 0) yield { kind: 'turn', role: 'user', parts: results, spoken: false, at };
      }
    }
  } finally {
    closeAll(opened);
  }
}

function spoken(part: Part): Part {
  return part.kind === 'text' ? textPart(withoutInjected(withoutQuotes(part.text).text)) : part;
}
