import { realpathSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Part } from '../../core/parts.js';
import { regularText } from '../../platform/regular-file.js';
import type { ConversationFiles, Harness } from './harness.js';
import { type Entry, oneLineOf } from './turns.js';

/** How a program says that it cut the output of a tool, and the file with the whole output. */
const CUT: Record<string, RegExp> = {
  'claude-code':
    /^\s*<persisted-output>\s*Output too large[^\n]*?(?:Full output saved to: (?<path>[^\n]+?)\s*)?(?:\n|$)/,
  codex:
    /…\d+ (?:tokens|chars|characters) truncated…|\[\.\.\. omitted \d+ of \d+ lines \.\.\.\]|Warning: truncated output \(original token count: \d+\)/,
  copilot: /^Output too large to read at once[^\n]*\s*Saved to: (?<path>[^\n]+)/,
  gemini:
    /^(?:Output too large\. Showing [^\n]*For full output see: |Tool output was too large and has been truncated\.\n[^\n]*saved to: )(?<path>[^\n]+)/,
  kimi: /Output is truncated to fit in the message\./,
  pi: /\[Showing [^\]\n]*Full output: (?<path>[^\]\n]+)\]\s*$/,
};
const LIKE: Record<string, string> = { qwen: 'gemini', 'kimi-code': 'kimi' };
/** Larger outputs stay cut. */
const MOST_BYTES = 1024 * 1024;
/** A folder in which a program stores outputs, and nothing else. */
const OUTPUTS = /^(?:tool-results|tool-outputs?)$/;
/** From a transcript up to the folder of its project. */
const MOST_LEVELS = 4;

/** Marks the outputs that the program cut, and takes them whole from the program's own file while it is there. */
export async function* withWholeOutputs(
  entries: AsyncIterable<Entry>,
  { harness, files }: ConversationFiles & { harness: Harness },
): AsyncGenerator<Entry> {
  const pattern = CUT[LIKE[harness.name] ?? harness.name];
  for await (const entry of entries) {
    const isCut = ({ kind, ...part }: Part) =>
      kind === 'result' && 'text' in part && pattern?.test(part.text) === true;
    if (pattern === undefined || entry.kind !== 'turn' || !entry.parts.some(isCut)) yield entry;
    else {
      const parts = entry.parts.map((part) =>
        part.kind === 'result'
          ? { ...part, text: wholeText(part.text, pattern, harness.label, files) }
          : part,
      );
      yield { ...entry, parts };
    }
  }
}

function wholeText(text: string, pattern: RegExp, label: string, files: ConversationFiles['files']): string {
  const match = pattern.exec(text);
  if (match === null) return text;
  const recorded = match.groups?.path;
  const path = oneLineOf(recorded);
  if (path === undefined) return `[output cut by ${label}]\n${text}`;
  for (const file of files) {
    const whole = wholeOutput(path, file.path);
    if (whole !== undefined) return `[output cut by ${label}, here whole from ${path}]\n${whole}`;
  }
  return `[output cut by ${label}, whole in ${path}]\n${text}`;
}

/**
 * The file that a record names, if it is a regular file in a folder of outputs next to the transcript: the record may be
 * of another machine, and a tool can write any path into its output.
 */
function wholeOutput(recorded: string, transcript: string): string | undefined {
  const names = recorded.split(/[\\/]/);
  const folder = names.findLastIndex((name) => OUTPUTS.test(name));
  const below = names.slice(folder);
  if (folder < 0 || below.length < 2 || below.some((name) => name === '..' || name === '')) return undefined;
  let parent = dirname(transcript);
  for (let level = 0; level < MOST_LEVELS; level += 1, parent = dirname(parent)) {
    for (const own of [parent, join(parent, names[folder - 1] ?? '')]) {
      const text = own.includes('..') ? undefined : readBelow(own, below);
      if (text !== undefined) return text;
    }
  }
  return undefined;
}

/** The text of a regular file of at most 1 MB; undefined if there is none, or a link leads elsewhere. */
function readBelow(parent: string, names: readonly string[]): string | undefined {
  try {
    const path = join(realpathSync(parent), ...names);
    return realpathSync(path) === path ? regularText(path, MOST_BYTES) : undefined;
  } catch {
    return undefined;
  }
}
