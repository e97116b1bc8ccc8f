import { z } from 'zod';
import { titleOf } from '../staging/slug.js';
import { type Message, type MessageRows, Notes, readMessages } from './messages.js';
import { PART_LIMIT_BYTES } from './rows.js';
import { type DataRow, dataRow, firstIssue, type SessionRow } from './schema.js';
import { headerLine } from './transcribe.js';

/** The output of `opencode export <session id>`: the session, and each message with its parts. */
const text = z.string().nullish().catch(undefined);
const number = z.number().optional().catch(undefined);
const info = z.looseObject({
  id: z.string().min(1),
  parentID: text,
  slug: text,
  directory: text,
  title: text,
  version: text,
  revert: z.unknown().optional(),
  time: z.looseObject({ created: z.number().min(-8.64e15).max(8.64e15), updated: number }),
});
const exported = z.looseObject({ info, messages: z.array(z.unknown()) });
const message = z.looseObject({
  info: z.looseObject({ id: z.string(), time: z.looseObject({ created: z.number(), completed: number }) }),
  parts: z.array(z.unknown()).catch([]),
});
const part = z.looseObject({ id: z.string() });

export interface ExportedSession {
  row: SessionRow;
  /** The first line of its transcript. */
  header: string;
  /** The newest time in the export, epoch milliseconds. */
  changedMs: number;
  /** As from a database. `notes` are complete when the generator has ended. */
  messages: () => Generator<Message>;
  notes: Notes;
}

/** Undefined if it is not an export; `exportProblem` gives the reason. */
export function readExport(json: unknown): ExportedSession | undefined {
  const { data } = exported.safeParse(json);
  if (data === undefined) return undefined;
  const { id, parentID, slug, directory, title, version, revert, time } = data.info;
  const row: SessionRow = {
    id,
    parent_id: parentID,
    slug,
    directory,
    title,
    version,
    revert: revert === undefined || revert === null ? null : JSON.stringify(revert),
    time_created: time.created,
    time_updated: time.updated,
  };
  const notes = new Notes();
  const parent = parentID ? titleOf(parentID) : undefined;
  return {
    row,
    header: headerLine(titleOf(title), titleOf(directory), time.created, parent),
    changedMs: changedAt(data),
    messages: () => readMessages(rowsOf(data, notes), row, notes),
    notes,
  };
}

export function exportProblem(json: unknown): string {
  const { error } = exported.safeParse(json);
  return error === undefined ? 'not an export of opencode' : firstIssue(error);
}

function changedAt({ info: { time }, messages }: z.infer<typeof exported>): number {
  const times = messages.flatMap((each) => {
    const said = message.safeParse(each).data?.info.time;
    return said === undefined ? [] : [said.created, said.completed ?? said.created];
  });
  return times.reduce((newest, each) => Math.max(newest, each), time.updated ?? time.created);
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
    messageIds: () => idsOf(rows),
    message: (id) => dataRow.safeParse(byId.get(id)).data,
    partIds: (messageId) => idsOf(parts.get(messageId)),
    part: (id, messageId) => dataRow.safeParse(parts.get(messageId)?.find((row) => row.id === id)).data,
    strayPartIds: () => [],
  };
}

function rowOf(id: string, time_created: number, json: unknown): DataRow {
  const data = JSON.stringify(json);
  const bytes = Buffer.byteLength(data);
  return { id, time_created, data: bytes > PART_LIMIT_BYTES ? null : data, bytes };
}
