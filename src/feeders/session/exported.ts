import { z } from 'zod';
import { titleOf } from '../staging/slug.js';
import { PART_LIMIT_BYTES } from './history.js';
import { type MessageRows, Notes, readMessages } from './messages.js';
import { type DataRow, dataRow, firstIssue, optionalNumber, sessionInfo } from './schema.js';
import { headerLine } from './transcribe.js';

/** The output of `opencode export <session id>`: the session, and each message with its parts. */
const exported = z.object({ info: sessionInfo, messages: z.array(z.unknown()) });
const message = z.looseObject({
  info: z.looseObject({
    id: z.string(),
    time: z.looseObject({ created: z.number(), completed: optionalNumber }),
  }),
  parts: z.array(z.unknown()).catch([]),
});
const part = z.looseObject({ id: z.string() });

/**
 * `header` is the first line of the transcript, `changedMs` the newest time in the export. `messages` are as from a
 * database; `notes` are complete when its generator has ended.
 *
 * @returns undefined if it is not an export; `exportProblem` gives the reason
 */
export function readExport(json: unknown) {
  const { data } = exported.safeParse(json);
  if (data === undefined) return undefined;
  const row = data.info;
  const notes = new Notes();
  const parent = row.parent_id ? titleOf(row.parent_id) : undefined;
  return {
    row,
    header: headerLine(titleOf(row.title), titleOf(row.directory), row.time_created, parent),
    changedMs: changedAt(data),
    messages: () => readMessages(rowsOf(data, notes), row, notes),
    notes,
  };
}

export function exportProblem(json: unknown): string {
  const { error } = exported.safeParse(json);
  return error === undefined ? 'not an export of opencode' : firstIssue(error);
}

function changedAt({ info, messages }: z.infer<typeof exported>): number {
  const times = messages.flatMap((each) => {
    const said = message.safeParse(each).data?.info.time;
    return said === undefined ? [] : [said.created, said.completed ?? said.created];
  });
  return times.reduce((newest, each) => Math.max(newest, each), info.time_updated);
}

/** The messages and parts of an export in the form of database rows. Of two messages with one id, the first counts. */
function rowsOf({ messages }: z.infer<typeof exported>, notes: Notes): MessageRows {
  const rows: DataRow[] = [];
  const parts = new Map<string, DataRow[]>();
  for (const [index, each] of messages.entries()) {
    const parsed = message.safeParse(each);
    if (!parsed.success) {
      notes.unparsed.push(`message ${index + 1}: ${firstIssue(parsed.error)}`);
      continue;
    }
    const { info: said, parts: given } = parsed.data;
    rows.push(rowOf(said.id, said.time.created, said));
    const own = parts.get(said.id) ?? [];
    parts.set(said.id, own);
    for (const [place, one] of given.entries()) {
      const known = part.safeParse(one);
      if (known.success) own.push(rowOf(known.data.id, 0, one));
      else notes.unparsed.push(`part ${place + 1} of message ${said.id}: ${firstIssue(known.error)}`);
    }
  }
  const byId = new Map([...rows].reverse().map((row) => [row.id, row]));
  const idsOf = (found: readonly DataRow[] = []) =>
    [...found].sort((a, b) => a.time_created - b.time_created || (a.id < b.id ? -1 : 1)).map(({ id }) => id);
  return {
    messageList: () => idsOf(rows).map((id) => ({ id, timeMs: byId.get(id)?.time_created })),
    message: (id) => dataRow.safeParse(byId.get(id)).data,
    partIds: (messageId) => idsOf(parts.get(messageId)),
    part: (id, messageId) => dataRow.safeParse(parts.get(messageId)?.find((row) => row.id === id)).data,
  };
}

function rowOf(id: string, time_created: number, json: unknown): DataRow {
  const data = JSON.stringify(json);
  const bytes = Buffer.byteLength(data);
  return { id, time_created, data: bytes > PART_LIMIT_BYTES ? null : data, bytes };
}
