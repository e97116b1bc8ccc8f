import { z } from 'zod';
import { Database } from '../../platform/sqlite.js';
import { titleOf } from '../staging/slug.js';
import { type Message, Notes, readMessages } from './messages.js';
import { History } from './rows.js';
import { firstIssue, type SessionRow } from './schema.js';

/** What `opencode export <session id>` writes: the session, and each message with its parts. */
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

const TABLES = `
  CREATE TABLE session (id TEXT PRIMARY KEY);
  CREATE TABLE message (id TEXT, session_id TEXT, time_created INTEGER, data TEXT);
  CREATE TABLE part (id TEXT, message_id TEXT, session_id TEXT, data TEXT);
  CREATE INDEX message_of ON message (session_id, time_created, id);
  CREATE INDEX message_id ON message (id);
  CREATE INDEX part_of ON part (message_id, id);
  CREATE INDEX part_id ON part (id);
`;

export interface ExportedSession {
  row: SessionRow;
  /** The first line of its transcript. */
  header: string;
  /** Epoch milliseconds: the newest time that the export names. */
  changedMs: number;
  /** As those of a database are read. `notes` are whole when they have ended. */
  messages: () => Generator<Message>;
  notes: Notes;
}

/** Undefined when it is no such export: see `exportProblem`. */
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
  const day = new Date(time.created).toISOString().replace(/T.*/, '');
  const parent = typeof parentID === 'string' && parentID !== '' ? ` | subagent of ${titleOf(parentID)}` : '';
  return {
    row,
    header: `[session: ${titleOf(title)} | ${titleOf(directory)} | ${day}${parent}]`,
    changedMs: changedAt(data),
    messages: () => messagesOf(data, row, notes),
    notes,
  };
}

/** Why something is not an export, for a person. */
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

function* messagesOf(
  { messages }: z.infer<typeof exported>,
  row: SessionRow,
  notes: Notes,
): Generator<Message> {
  const database = new Database(':memory:');
  try {
    database.exec(TABLES);
    const addMessage = database.prepare('INSERT INTO message VALUES (?, ?, ?, ?)');
    const addPart = database.prepare('INSERT INTO part VALUES (?, ?, ?, ?)');
    for (const [index, each] of messages.entries()) {
      const parsed = message.safeParse(each);
      if (!parsed.success) {
        notes.unparsed.push(`message ${index + 1}: ${firstIssue(parsed.error)}`);
        continue;
      }
      const { info: said, parts } = parsed.data;
      addMessage.run(said.id, row.id, said.time.created, JSON.stringify(said));
      for (const [place, given] of parts.entries()) {
        const known = part.safeParse(given);
        if (known.success) addPart.run(known.data.id, said.id, row.id, JSON.stringify(given));
        else notes.unparsed.push(`part ${place + 1} of message ${said.id}: ${firstIssue(known.error)}`);
      }
    }
    yield* readMessages(new History('', 'json', database), row, notes);
  } finally {
    database.close();
  }
}
