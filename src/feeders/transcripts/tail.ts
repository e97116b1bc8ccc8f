import { closeSync, fstatSync, openSync, readSync } from 'node:fs';
import type { Part } from '../../core/parts.js';
import { isEchoLine, withoutInjected, withoutQuotes } from '../../sanitiser/index.js';
import type { Harness } from './harness.js';
import type { Entry } from './turns.js';

/** Only what a hook needs: all readers together take longer to load than a hook may. */
const READERS: Record<string, () => Promise<Harness>> = {
  'claude-code': async () => (await import('./harnesses/claude-code/index.js')).claudeCode,
  codex: async () => (await import('./harnesses/codex/index.js')).codex,
  kimi: async () => (await import('./harnesses/kimi.js')).kimi,
  pi: async () => (await import('./harnesses/pi.js')).pi,
};

/** The records that say or do something. */
const WANTED: Record<string, RegExp> = {
  'claude-code': /"type": ?"(?:user|assistant|system)"|"queued_command"|"queue-operation"/,
  codex:
    /"type": ?"(?:session_meta|turn_context|compacted|message|[a-z_]*call(?:_output)?|item_completed|task_started|exec_command_end)"/,
};

/** Where a line begins is searched in this many bytes; a longer line is left out. */
const LINE_BYTES = 256 * 1024;

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
  const { size, mtimeMs, start } = placeOf(path, bytes);
  const files = [{ path, size, mtimeMs, range: { start, end: size } }] as const;
  const identity = { sessionId: undefined };
  const wanted = WANTED[harness];
  const tail = { files, identity, agents: new Set<string>(), ...(wanted && { wanted }) };
  for await (const entry of reader.read(tail)) {
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

/** The tail begins after the first line feed in it, so that its first line is whole. */
function placeOf(path: string, bytes: number): { size: number; mtimeMs: number; start: number } {
  const file = openSync(path, 'r');
  try {
    const { size, mtimeMs } = fstatSync(file);
    if (size <= bytes) return { size, mtimeMs, start: 0 };
    const beginning = Buffer.alloc(Math.min(bytes, LINE_BYTES));
    const length = readSync(file, beginning, 0, beginning.length, size - bytes);
    const feed = beginning.subarray(0, length).indexOf(10);
    return { size, mtimeMs, start: size - bytes + (feed < 0 ? length : feed + 1) };
  } finally {
    closeSync(file);
  }
}
