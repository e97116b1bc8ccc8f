import { stripVTControlCharacters } from 'node:util';
import { sha256 } from '../core/hash.js';

/** Of a message that is longer than twice as many UTF-16 units, only its beginning and its end are compared. */
const COMPARED = 2_048;
const SIGNATURE_DIGITS = 24;

/** Beginnings of results of calls that did not run: the user or the harness stopped them. */
const STOPPED =
  /^(?:<tool_use_error>)?\s*(?:\[Request interrupted by user|The user doesn't want to (?:proceed with|take) this (?:tool use|action)|Sibling tool call errored|Cancelled: parallel tool call|aborted by user after |\[interrupted: |Tool execution aborted|The user rejected permission|\[Operation Cancelled\]|Operation aborted)/;

/** What harnesses put around the output of a tool. */
const WRAPPING: readonly RegExp[] = [
  /<\/?(?:tool_use_error|untrusted_context)>/g,
  // Codex
  /^(?:Script (?:completed|failed)\n)?(?:(?:Chunk ID|Wall time|Exit code|Process exited|Original token count|Total output lines)\b.*\n)*Output:(?:\n|$)/,
  // Claude Code, pi, Kimi, Copilot CLI
  /^(?:Error: )?Exit code -?\d+(?:\n|$)/,
  /(?:^|\n)Command (?:exited with code|failed with exit code:) -?\d+\.?\s*$/,
  /(?:^|\n)<(?:exited|shellId: \d+ completed) with exit code -?\d+>\s*$/,
  // Gemini CLI, Qwen Code
  /^(?:Command|Directory|Exit Code|Signal|Background PIDs|Process Group PGID): .*$/gm,
  /^Error: \(none\)$/gm,
  /^Output: /m,
  /^\s*Error: /,
];

const PATH = '<path>';

/** In this order: a mask may not cut what a later one would replace. */
const MASKS: readonly (readonly [RegExp, string])[] = [
  [/\b[a-z][a-z0-9+.-]{0,20}:\/\/[^\s'"<>)\]]+/gi, '<url>'],
  [/\b[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\b/gi, '<id>'],
  [/\b\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d(?::\d\d(?:[.,]\d+)?)?(?:Z|[+-]\d\d:?\d\d)?)?/g, '<time>'],
  // Folders differ between machines; the file's name says which file it is.
  [/(?:[A-Za-z]:|~|\.{1,2})?(?:[\\/][\w.@+-]{1,128})+|\b[\w.@+-]{1,128}(?:\/[\w.@+-]{1,128})+/g, PATH],
  [/\b0x[0-9a-f]+\b/gi, '#'],
  [/\b(?=[0-9a-f]*\d)(?=[0-9a-f]*[a-f])[0-9a-f]{6,64}\b/gi, '#'],
  [/\b(?=\w*\d)(?=\w*[A-Za-z])\w{16,80}\b/g, '<id>'],
  [/\d+(?:[.,]\d+)*/g, '#'],
];

/** Whether the call did not run, so that its message says nothing about the work. */
export const wasStopped = (message: string): boolean => STOPPED.test(message);

/**
 * The message without what differs between two occurrences of the same error: the harness's wrapping, colours, folders,
 * numbers, hashes, ids, times, empty and repeated lines.
 */
export function maskedMessage(message: string): string {
  let text = stripVTControlCharacters(ends(message).replace(/\r\n?/g, '\n'));
  for (const wrapping of WRAPPING) text = text.replace(wrapping, '');
  for (const [pattern, mask] of MASKS) {
    text = text.replace(pattern, (found) => (mask === PATH ? PATH + baseName(found) : mask));
  }
  const lines = text.split('\n').flatMap((line) => line.replace(/\s+/g, ' ').trim() || []);
  return lines.filter((line, index) => line !== lines[index - 1]).join('\n');
}

/** Undefined for a message without words, which every failure could have. @param masked the masked message */
export function signatureOf(tool: string, masked: string): string | undefined {
  if (!/\p{L}{2}/u.test(masked.replace(/<(?:url|id|time|path)>/g, ''))) return undefined;
  return sha256(`${tool}\0${masked}`).slice(0, SIGNATURE_DIGITS);
}

function ends(message: string): string {
  if (message.length <= 2 * COMPARED) return message;
  return `${message.slice(0, COMPARED)}\n${message.slice(-COMPARED)}`;
}

function baseName(path: string): string {
  return path.slice(Math.max(path.lastIndexOf('/'), path.lastIndexOf('\\')) + 1);
}
