import { partsOf } from '../../session/blocks.js';
import type { Message } from '../../session/messages.js';
import { beginningOf, eachPiece, readPiece } from '../exported.js';
import type { Harness } from '../harness.js';
import { type Entry, isObject, isoOf, malformed, type Turn, titled, turn } from '../turns.js';

/** A session from `opencode export <session id>`, read like one in opencode's database. */
export const opencodeExport: Harness = {
  name: 'opencode-export',
  label: 'exports of opencode',
  patterns: ['**/*.json'],
  recognises(head) {
    const { document } = beginningOf(head);
    if (!isObject(document) || !isObject(document.info)) return false;
    const { id, time, directory } = document.info;
    // A long `info` may push the messages beyond the head.
    return (
      typeof id === 'string' && isObject(time) && ('messages' in document || typeof directory === 'string')
    );
  },
  async identify({ path, size }) {
    const { readExport } = await import('../../session/exported.js');
    const json = await readPiece(path, { start: 0, end: size }).catch(() => undefined);
    const session = readExport(json);
    if (session === undefined) return [{ harness: 'opencode', sessionId: undefined }];
    const { row, changedMs } = session;
    const cwd = row.directory ?? undefined;
    return [{ harness: 'opencode', sessionId: row.id, cwd, begun: isoOf(row.time_created), changedMs }];
  },
  idsAreUnique: true,
  async *read(files) {
    const { readExport, exportProblem } = await import('../../session/exported.js');
    yield* eachPiece(files, function* (json): Generator<Entry> {
      const session = readExport(json);
      if (session === undefined) {
        yield malformed(`not an export of opencode: ${exportProblem(json)}`);
        return;
      }
      const { row, header, messages, notes } = session;
      yield* titled(row.title);
      yield { kind: 'fact', cwd: row.directory ?? undefined };
      yield turn('user', header, { at: isoOf(row.time_created), spoken: true, synthetic: true });
      for (const message of messages()) yield* turnsOf(message);
      for (const reason of notes.unparsed) yield malformed(`session ${row.id}: ${reason}`);
    });
  },
};

function* turnsOf({ id, role, timeMs, blocks }: Message): Generator<Turn> {
  const place = { id, at: isoOf(timeMs), message: id };
  for (const { own, results } of partsOf(blocks, ({ callId, partId }) => callId ?? partId)) {
    yield turn(role, own, { ...place, spoken: role === 'user' });
    if (results.length > 0) yield turn('user', results, place);
  }
}
