import { z } from 'zod';
import { codexSession } from './codex.js';
import { HEADER } from './conversation.js';
import { readLines } from './jsonl.js';
import { kimiSession } from './kimi.js';
import { piSession, piTitle } from './pi.js';
import { readRecord } from './records.js';

/** What the beginning of a transcript says about the session. */
export interface TranscriptIdentity {
  /** `opencode`, `claude-code`, `codex`, `kimi`, `pi`, or what the `harness` field says. */
  harness: string;
  sessionId?: string;
  /** Of a sub-agent's own transcript: its key is `<session id>/<agent id>`. */
  agentId?: string;
  cwd?: string;
  title?: string;
  /** ISO, as written. */
  firstTimestamp?: string;
}

const HEAD_BYTES = 1024 * 1024;
const HEAD_RECORDS = 50;

/** Longer ones are not read: they become keys, rooms and places of every drawer. */
const ID_CHARS = 255;
const PATH_CHARS = 4_096;
const name = z.string().min(1).max(ID_CHARS).optional().catch(undefined);

const fields = z.object({
  harness: name,
  sessionId: name,
  agentId: name,
  cwd: z.string().min(1).max(PATH_CHARS).optional().catch(undefined),
  timestamp: name,
});

/**
 * Reads who a transcript belongs to from its first 50 records within its first megabyte.
 *
 * @throws the file system's error when the file cannot be read
 */
export async function transcriptIdentity(path: string): Promise<TranscriptIdentity> {
  const found: z.infer<typeof fields> & { title?: string } = {};
  let records = 0;
  for await (const { text } of readLines(path, HEAD_BYTES)) {
    if (text === undefined) continue;
    const json = parse(text);
    identify(json, found);
    const kimi = found.sessionId === undefined ? kimiSession(json, path) : undefined;
    if (kimi !== undefined) return { harness: 'kimi', ...kimi };
    const parsed = fields.safeParse(json);
    if (!parsed.success) continue;
    found.harness ??= parsed.data.harness;
    found.sessionId ??= parsed.data.sessionId;
    found.agentId ??= parsed.data.agentId;
    found.cwd ??= parsed.data.cwd;
    found.timestamp ??= parsed.data.timestamp;
    // A summary of Codex or pi is of a part of the session, and no title.
    const title = found.harness === 'codex' || found.harness === 'pi' ? undefined : titleOf(text);
    if (title !== undefined) found.title ??= title;
    records++;
    if (records === HEAD_RECORDS) break;
  }
  const harness = found.harness ?? (found.sessionId?.startsWith('ses_') ? 'opencode' : 'claude-code');
  return {
    harness,
    ...(found.sessionId === undefined ? {} : { sessionId: found.sessionId }),
    ...(found.agentId === undefined ? {} : { agentId: found.agentId }),
    ...(found.cwd === undefined ? {} : { cwd: found.cwd }),
    ...(found.title === undefined ? {} : { title: found.title }),
    ...(found.timestamp === undefined ? {} : { firstTimestamp: found.timestamp }),
  };
}

/**
 * Has a transcript so many messages in which somebody said something? Reads no further than it must.
 *
 * @throws the file system's error when the file cannot be read
 */
export async function hasMessages(path: string, count: number): Promise<boolean> {
  let found = 0;
  for await (const { text } of readLines(path)) {
    if (found >= count) return true;
    const read = text === undefined ? undefined : readRecord(text);
    if (read?.kind === 'turn' && read.parts.some((part) => part.kind === 'text' && part.text.trim() !== ''))
      found += 1;
  }
  return found >= count;
}

/** Codex and pi name their session in a record of its own. */
function identify(json: unknown, found: z.infer<typeof fields> & { title?: string }): void {
  const codex = codexSession(json);
  const session = codex ?? piSession(json);
  if (session !== undefined && found.sessionId === undefined && session.sessionId.length <= ID_CHARS) {
    found.harness ??= codex === undefined ? 'pi' : 'codex';
    found.sessionId = session.sessionId;
    if ((session.cwd?.length ?? 0) <= PATH_CHARS) found.cwd ??= session.cwd;
  }
  const title = piTitle(json);
  if (title !== undefined) found.title ??= title;
}

function parse(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}

function titleOf(line: string): string | undefined {
  const read = readRecord(line);
  if (read.kind === 'summary') return read.text.replace(/\s+/g, ' ').trim() || undefined;
  if (read.kind !== 'turn' || read.role !== 'user') return undefined;
  const [first] = read.parts;
  if (first?.kind !== 'text' || !HEADER.test(first.text)) return undefined;
  // The title itself may hold ` | `: the directory is an absolute path, the date the last part of its form.
  return (
    /^\[session: (.*?) \| (?:\/|[A-Za-z]:\\|~).* \| \d{4}-\d{2}-\d{2}/.exec(first.text)?.[1] ??
    /^\[session: (.*?) \|/.exec(first.text)?.[1]
  );
}
