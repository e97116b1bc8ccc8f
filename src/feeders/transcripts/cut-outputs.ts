import { dirname } from 'node:path';
import { markedOutput } from '../../core/cut-output.js';
import type { Part } from '../../core/parts.js';
import { wholeOutput } from '../staging/whole-output.js';
import type { ConversationFiles, Harness } from './harness.js';
import { TRUNCATED } from './harnesses/codex/outputs.js';
import { type Entry, oneLineOf } from './turns.js';

/** How a program says that it cut the output of a tool, and the file with the whole output. */
const CUT: Record<string, readonly RegExp[]> = {
  // An output of a command, one of an MCP server, and what releases before 2 left out in the middle.
  'claude-code': [
    /^\s*<persisted-output>\s*Output too large[^\n]*?(?:Full output saved to: (?<path>[^\n]+?)\s*)?(?:\n|$)/,
    /^\s*Error: result [^\n]*exceeds maximum allowed tokens\. Output has been saved to (?<path>[^\n]+?)\.?\s*(?:\n|$)/,
    /\n\n\.\.\. \[\d+ lines truncated\] \.\.\.(?:\n|$)/,
  ],
  codex: [TRUNCATED],
  copilot: [/^Output too large to read at once[^\n]*\s*Saved to: (?<path>[^\n]+)/],
  gemini: [
    /^Output too large\. Showing [^\n]*For full output see: (?<path>[^\n]+)/,
    /^[A-Z][a-z ]* was too large and has been truncated\.\n(?:The full output has been saved to: (?<path>[^\n]+)|\[Note: Could not save )/,
    /\n\[Note: Could not save full output to file\]\s*$/,
  ],
  kimi: [/Output is truncated to fit in the message\./],
  pi: [/\[Showing [^\]\n]*Full output: (?<path>[^\]\n]+)\]\s*$/],
};
const LIKE: Record<string, string> = { qwen: 'gemini', 'kimi-code': 'kimi' };
/** From a transcript up to the folder of its project. */
const MOST_LEVELS = 4;

/** Marks the outputs that the program cut, and takes them whole from the program's own file while it is there. */
export async function* withWholeOutputs(
  entries: AsyncIterable<Entry>,
  { harness, files }: ConversationFiles & { harness: Harness },
): AsyncGenerator<Entry> {
  const patterns = CUT[LIKE[harness.name] ?? harness.name];
  for await (const entry of entries) {
    if (patterns === undefined || entry.kind !== 'turn') yield entry;
    else yield { ...entry, parts: entry.parts.map((part) => whole(part, patterns, harness, files)) };
  }
}

function whole(
  part: Part,
  patterns: readonly RegExp[],
  { label }: Harness,
  files: ConversationFiles['files'],
): Part {
  if (part.kind !== 'result') return part;
  const match = patterns.map((pattern) => pattern.exec(part.text)).find((each) => each !== null);
  if (match === undefined) return part;
  const path = oneLineOf(match.groups?.path);
  const folders = files.flatMap((file) => foldersAbove(file.path));
  return { ...part, text: markedOutput(label, part.text, path, path && wholeOutput(path, folders)) };
}

/** Programs store outputs next to the transcript, or in a folder of its session or project; never in the root folder. */
function foldersAbove(path: string): string[] {
  const folders = [dirname(path)];
  while (folders.length < MOST_LEVELS) folders.push(dirname(folders.at(-1) ?? ''));
  return folders.filter((folder) => folder !== dirname(folder));
}
