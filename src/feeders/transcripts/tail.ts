import { piecesOf } from '../../core/damaged-line.js';
import type { Part } from '../../core/parts.js';
import { readEnd } from '../../platform/file-end.js';
import { isEchoLine, withoutInjected, withoutQuotes } from '../../sanitiser/index.js';
import type { ConversationFiles, Harness, OriginFile } from './harness.js';
import { type TailLine, tailLines } from './harnesses/claude-code/tail.js';
import { inBelievedTime, latestTime } from './times.js';
import type { Entry } from './turns.js';

interface TailReader {
  harness: Harness;
  /** The lines that can matter: parsing takes most of the time. */
  lines?: (lines: readonly TailLine[]) => readonly TailLine[];
}

/** Only what a hook needs: all readers together take longer to load than a hook may. */
const READERS: Record<string, () => Promise<TailReader>> = {
  'claude-code': async () => {
    const { claudeCode } = await import('./harnesses/claude-code/index.js');
    return { harness: claudeCode, lines: tailLines };
  },
  codex: async () => {
    const { codex } = await import('./harnesses/codex/index.js');
    return { harness: codex, lines: (lines) => lines.filter(({ text }) => CODEX_TURN.test(text)) };
  },
  kimi: async () => ({ harness: (await import('./harnesses/kimi.js')).kimi }),
  pi: async () => ({ harness: (await import('./harnesses/pi.js')).pi }),
};

/** The records of Codex that say or do something. */
const CODEX_TURN =
  /"type": ?"(?:session_meta|turn_context|compacted|message|[a-z_]*call(?:_output)?|item_completed|task_started|exec_command_end)"/;

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
  const tail: ConversationFiles = {
    files: [origin],
    identity: { sessionId: undefined },
    agents: new Set(),
    lines: (reader.lines?.(lines) ?? lines).map(decoded),
  };
  for await (const entry of inBelievedTime(reader.harness.read(tail), latestTime([origin]), undefined)) {
    if (entry.kind !== 'turn' || entry.role !== 'user') yield entry;
    else yield { ...entry, parts: entry.parts.map(said), spoken: entry.spoken && !entry.parts.every(isEcho) };
  }
}

function said(part: Part): Part {
  return part.kind === 'text' ? { ...part, text: withoutInjected(withoutQuotes(part.text).text) } : part;
}

function isEcho(part: Part): boolean {
  return part.kind === 'text' && isEchoLine(withoutQuotes(part.text).text.trim());
}

const BEYOND_ASCII = /[\x80-\xff]/;

function decoded(line: TailLine): TailLine {
  return BEYOND_ASCII.test(line.text) ? { ...line, text: Buffer.from(line.text, 'latin1').toString() } : line;
}

/** The file, and the lines of its tail, read at once and not decoded. */
function tailOf(path: string, bytes: number): { origin: OriginFile; lines: TailLine[] } {
  const { bytes: tail, size, mtimeMs } = readEnd(path, bytes);
  const lines = tail
    .toString('latin1')
    .split('\n')
    .flatMap((line, index) => recordsOf(line).map((text) => ({ number: index + 1, text })));
  return { origin: { path, size, mtimeMs }, lines: lines.filter((line) => line.text.trim() !== '') };
}

/** A line of several records as one line per record, because each is judged alone. */
function recordsOf(line: string): string[] {
  return line.includes('\0') || line.includes('}{"') ? piecesOf(line).map(({ text }) => text) : [line];
}
