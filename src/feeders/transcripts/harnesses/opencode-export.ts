import type { Message } from '../../session/messages.js';
import type { Entry, Part, Turn } from '../entry.js';
import { beginningOf, eachPiece, isObject, readPiece } from '../exported.js';
import type { Harness } from '../harness.js';
import { oneLineOf } from '../records.js';

/** A session as `opencode export <session id>` writes it, read as one of opencode's database is. */
export const opencodeExport: Harness = {
  name: 'opencode-export',
  label: 'exports of opencode',
  version: 1,
  places: () => [],
  patterns: ['**/*.json'],
  recognises(head) {
    const { document } = beginningOf(head);
    if (!isObject(document) || !isObject(document.info)) return false;
    const { id, time, directory } = document.info;
    // The messages may begin behind a long `info`.
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
  sameSession: 'newest',
  async *read(files) {
    const { readExport, exportProblem } = await import('../../session/exported.js');
    yield* eachPiece(files, function* (json): Generator<Entry> {
      const session = readExport(json);
      if (session === undefined) {
        yield { kind: 'malformed', line: 0, reason: `no export of opencode: ${exportProblem(json)}` };
        return;
      }
      const { row, header, messages, notes } = session;
      const title = oneLineOf(row.title ?? undefined);
      yield {
        kind: 'fact',
        title: title === undefined ? undefined : { text: title, rank: 1 },
        cwd: row.directory ?? undefined,
      };
      yield {
        ...turnOf('user', undefined, row.time_created, [{ kind: 'text', text: header }]),
        synthetic: true,
      };
      for (const message of messages()) yield* turnsOf(message);
      for (const reason of notes.unparsed)
        yield { kind: 'malformed', line: 0, reason: `session ${row.id}: ${reason}` };
      for (const type of notes.unknown.keys()) yield { kind: 'ignored', type };
    });
  },
};

/** Results come before the next words of the same message, as they did in time. */
function* turnsOf({ id, role, timeMs, blocks }: Message): Generator<Turn> {
  let said: Part[] = [];
  let results: Part[] = [];
  const taken = function* (): Generator<Turn> {
    if (said.length > 0) yield turnOf(role, id, timeMs, said);
    if (results.length > 0) yield { ...turnOf('user', id, timeMs, results), spoken: false };
    said = [];
    results = [];
  };
  for (const block of blocks) {
    if (block.kind === 'text') {
      if (results.length > 0) yield* taken();
      said.push({ kind: 'text', text: block.text });
    } else {
      const callId = block.callId ?? block.partId;
      said.push({ kind: 'call', id: callId, name: block.name, input: block.input });
      results.push({ kind: 'result', id: callId, text: block.output, error: block.isError });
    }
  }
  yield* taken();
}

function turnOf(role: Turn['role'], id: string | undefined, timeMs: number, parts: Part[]): Turn {
  return {
    kind: 'turn',
    role,
    parts,
    id,
    at: isoOf(timeMs),
    spoken: role === 'user',
    ignored: [],
    message: id,
  };
}

function isoOf(ms: number): string | undefined {
  return Math.abs(ms) <= 8.64e15 ? new Date(ms).toISOString() : undefined;
}
