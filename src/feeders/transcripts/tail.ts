import { closeSync, constants, fstatSync, openSync, readSync } from 'node:fs';
import type { Part } from '../../core/parts.js';
import type { JsonLine } from '../../platform/jsonl.js';
import { isEchoLine, withoutInjected, withoutQuotes } from '../../sanitiser/index.js';
import type { ConversationFiles, Harness, OriginFile } from './harness.js';
import type { Entry } from './turns.js';

interface TailLine extends JsonLine {
  text: string;
}

/** Only what a hook needs: all readers together take longer to load than a hook may. */
const READERS: Record<string, () => Promise<Harness>> = {
  'claude-code': async () => (await import('./harnesses/claude-code/index.js')).claudeCode,
  codex: async () => (await import('./harnesses/codex/index.js')).codex,
  kimi: async () => (await import('./harnesses/kimi.js')).kimi,
  pi: async () => (await import('./harnesses/pi.js')).pi,
};

/** The records that say or do something: parsing takes most of the time. */
const WANTED: Record<string, RegExp> = {
  'claude-code': /"type": ?"(?:user|assistant|system)"|"queued_command"|"queue-operation"/,
  codex:
    /"type": ?"(?:session_meta|turn_context|compacted|message|[a-z_]*call(?:_output)?|item_completed|task_started|exec_command_end)"/,
};

/**
 * The entries of the last part of a transcript, without what programs injected and what the palace itself said. Secrets
 * stay: the reader sanitises what it tells.
 *
 * @param harness one of those that call hooks
 * @param bytes the most that is read
 * @throws the file system's error
 */
export async function* tailEntries(harness: string, path: string, bytes: number): AsyncGenerator<Entry> {
  const reader = await READERS[harness]?.();
  if (reader === undefined) return;
  const { origin, lines } = tailOf(path, bytes);
  const wanted = WANTED[harness] ?? /^/;
  const tail: ConversationFiles = {
    files: [origin],
    identity: { sessionId: undefined },
    agents: new Set(),
    lines: shortened(lines.filter(({ text }) => wanted.test(text))),
  };
  for await (const entry of reader.read(tail)) {
    if (entry.kind !== 'turn' || entry.role !== 'user') yield entry;
    else yield { ...entry, parts: entry.parts.map(said), spoken: entry.spoken && !entry.parts.every(isEcho) };
  }
}

/** UTF-16 units; parsing a shorter line takes no time. */
const LONG = 2_000;
const RESULT_ID = /"tool_use_id": ?"([^"\\]+)"/g;
const NEEDED = /"is_error": ?true|"type": ?"text"/;

/**
 * Without the output of successful calls in the format of Claude Code, which is most of a transcript and says nothing of
 * where the session stands. The last line stays, for its time.
 */
function shortened(lines: readonly TailLine[]): TailLine[] {
  return lines.map((line, index) => {
    const { text } = line;
    if (text.length < LONG || index === lines.length - 1) return line;
    if (!text.includes('"tool_result"') || NEEDED.test(text)) return line;
    const [id, another] = Array.from(text.matchAll(RESULT_ID), ([, each = '']) => each);
    if (id === undefined || another !== undefined) return line;
    const content = [{ type: 'tool_result', tool_use_id: id }];
    return { ...line, text: JSON.stringify({ type: 'user', message: { content } }) };
  });
}

function said(part: Part): Part {
  return part.kind === 'text' ? { ...part, text: withoutInjected(withoutQuotes(part.text).text) } : part;
}

function isEcho(part: Part): boolean {
  return part.kind === 'text' && isEchoLine(withoutQuotes(part.text).text.trim());
}

/** The file, and the lines of its tail, read at once. */
function tailOf(path: string, bytes: number): { origin: OriginFile; lines: TailLine[] } {
  // A named pipe would wait for a writer.
  const file = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
  try {
    const { size, mtimeMs } = fstatSync(file);
    const tail = Buffer.alloc(Math.min(size, bytes));
    const length = readSync(file, tail, 0, tail.length, size - tail.length);
    // The first line of a tail is rarely whole.
    const start = size > bytes ? tail.indexOf(10) + 1 || length : 0;
    const text = new TextDecoder('utf-8').decode(tail.subarray(start, length));
    const lines = text.split('\n').map((line, index) => ({ number: index + 1, text: line }));
    return { origin: { path, size, mtimeMs }, lines: lines.filter((line) => line.text.trim() !== '') };
  } finally {
    closeSync(file);
  }
}
