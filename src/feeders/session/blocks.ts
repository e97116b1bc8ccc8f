import { basename } from 'node:path';
import { markedOutput } from '../../core/cut-output.js';
import { sha256 } from '../../core/hash.js';
import { type Part, textPart } from '../../core/parts.js';
import { withoutInjected } from '../../sanitiser/index.js';
import { oneLine } from '../staging/slug.js';
import { PART_LIMIT_BYTES } from './history.js';
import type { FileData, KnownPart, MessageData, ToolPart, ToolState } from './schema.js';

/** The content of one part; not sanitised. */
export type Block = { kind: 'text'; text: string; partId?: string } | ToolBlock;

export interface ToolBlock {
  kind: 'tool';
  callId: string | undefined;
  partId: string;
  name: string;
  input: unknown;
  output: string;
  isError: boolean;
}

/** Words and calls of a message, each time with the results of the calls, which precede the next words as they did in time. */
export function* partsOf(
  blocks: Iterable<Block>,
  idOf: (call: ToolBlock) => string,
): Generator<{ own: Part[]; results: Part[] }> {
  let [own, results]: [Part[], Part[]] = [[], []];
  for (const block of blocks) {
    if (block.kind === 'text') {
      if (results.length > 0) {
        yield { own, results };
        [own, results] = [[], []];
      }
      own.push(textPart(block.text));
    } else {
      const id = idOf(block);
      own.push({ kind: 'call', id, name: block.name, input: block.input });
      results.push({ kind: 'result', id, text: block.output, error: block.isError });
    }
  }
  if (own.length > 0) yield { own, results };
}

/** Undefined for a part without content for a reader. @param wholeOutput see `History` */
export function blockOf(
  part: KnownPart,
  partId: string,
  message: MessageData,
  wholeOutput: (path: string) => string | undefined = () => undefined,
): Block | undefined {
  switch (part.type) {
    case 'text':
      if (part.synthetic === true || part.ignored === true) return undefined;
      return textBlock(spokenText(part.text, message));
    case 'reasoning':
      return part.text.trim() === '' ? undefined : textBlock(`[reasoning] ${part.text}`);
    case 'file':
      return textBlock(fileLine(part));
    case 'subtask':
      return textBlock(part.prompt);
    case 'tool':
      return {
        kind: 'tool',
        callId: part.callID === '' ? undefined : part.callID,
        partId,
        name: part.tool,
        input: inputOf(part.state),
        ...resultOf(wholeState(part, wholeOutput)),
      };
    case 'compaction':
      return undefined;
  }
}

/** The content of a message outside its parts: its structured answer, and its error. */
export function closingBlocks(message: MessageData): Block[] {
  const texts: string[] = [];
  const { structured, error } = message;
  if (structured !== undefined && structured !== null) texts.push(JSON.stringify(structured));
  if (error?.name === 'MessageAbortedError') texts.push('[interrupted]');
  else if (error) {
    const said = oneLine(error.data?.message ?? error.message ?? '');
    texts.push(said === '' ? `[error: ${error.name}]` : `[error: ${error.name}: ${said}]`);
  }
  return texts.map((text) => ({ kind: 'text', text }));
}

export function megabytes(bytes: number): string {
  return `${(bytes / 1024 / 1024).toFixed(1)} MB`;
}

export function oversizedBlock(bytes: number): Block {
  const limit = PART_LIMIT_BYTES / 1024 / 1024;
  return { kind: 'text', text: `[part left out: ${megabytes(bytes)}, the limit is ${limit} MB]` };
}

/** True for a text part that is not injected, hidden or empty: its message counts. */
export function counts(part: KnownPart): boolean {
  return part.type === 'text' && part.synthetic !== true && part.ignored !== true && part.text.trim() !== '';
}

/** False for a user's text part that contains only injected text. */
export function hasOwnWords(part: KnownPart): boolean {
  return part.type === 'text' && withoutInjected(part.text).trim() !== '';
}

/** A hash of the content without ids, by which a fork's copy is recognised. */
export function blockKey(block: Block): string {
  return block.kind === 'text'
    ? sha256(`text\n${block.text}`)
    : sha256(JSON.stringify(['tool', block.name, block.input, block.output, block.isError]));
}

function textBlock(text: string): Block | undefined {
  return text.trim() === '' ? undefined : { kind: 'text', text };
}

function spokenText(text: string, message: MessageData): string {
  if (message.role === 'user') return unquoted(text);
  return message.summary === true && text.trim() !== '' ? `[compaction summary] ${text}` : text;
}

/**
 * Removes the quotes that `opencode run "…"` puts around a prompt. It escapes every quote in the prompt, so quotes around
 * an unescaped one are the user's own and are kept. White space around the quotes is kept.
 */
export function unquoted(text: string): string {
  const start = text.length - text.trimStart().length;
  const end = text.trimEnd().length;
  if (end - start < 3 || text[start] !== '"' || text[end - 1] !== '"') return text;
  const inside = text.slice(start + 1, end - 1);
  if (inside.trim() === '') return text;
  for (let at = inside.indexOf('"'); at !== -1; at = inside.indexOf('"', at + 1)) {
    if (inside[at - 1] !== '\\') return text;
  }
  return text.slice(0, start) + inside.replaceAll('\\"', '"') + text.slice(end);
}

/** Never the URL, which may contain the whole file. */
function fileLine(file: FileData): string {
  const name = oneLine(file.filename ?? '') || nameInUrl(file.url ?? '') || 'unnamed';
  const type = oneLine(file.mime ?? '');
  return `[file: ${withoutData(name)}${type === '' ? '' : ` (${withoutData(type)})`}]`;
}

function withoutData(text: string): string {
  return /^data:/i.test(text) ? 'unnamed' : text;
}

function nameInUrl(url: string): string {
  if (!/^(file|https?):/i.test(url)) return '';
  try {
    return oneLine(decodeURIComponent(basename(new URL(url).pathname)));
  } catch {
    return '';
  }
}

function inputOf(state: ToolState): unknown {
  const { input, raw } = state;
  const isGiven = input !== undefined && input !== null;
  if (isGiven && (typeof input !== 'object' || Object.keys(input).length > 0)) return input;
  return raw ? { raw } : {};
}

/** The output itself names the file too; some releases have it only there. */
const SAVED =
  /(?:^|\n)(?:The tool call succeeded but the output was truncated\. )?Full output saved to: (\S[^\n]*)/;
const SHELLS = new Set(['bash', 'shell']);

/** The state with a marked output if opencode cut it, and with the whole output if that is still there. */
function wholeState({ tool, state }: ToolPart, wholeOutput: (path: string) => string | undefined): ToolState {
  const { metadata, output } = state;
  if (state.status !== 'completed' || metadata?.truncated !== true || typeof output !== 'string')
    return state;
  const path = metadata.outputPath ?? SAVED.exec(output)?.[1];
  // Other tools, such as read, say it in their own words.
  if (path === undefined)
    return SHELLS.has(tool) ? { ...state, output: markedOutput('opencode', output) } : state;
  return { ...state, output: markedOutput('opencode', output, oneLine(path), wholeOutput(path)) };
}

function resultOf(state: ToolState): { output: string; isError: boolean } {
  const files = (state.attachments ?? []).map(fileLine);
  const partial = state.metadata?.output ?? '';
  switch (state.status) {
    case 'completed':
      return { output: joined(asText(state.output), ...files), isError: false };
    case 'error':
      return { output: joined(asText(state.error), ...files), isError: true };
    case 'pending':
      return { output: '[interrupted: the tool was not run]', isError: true };
    case 'running':
      return { output: joined(partial, '[interrupted: the tool did not finish]'), isError: true };
    default: {
      const said = [asText(state.output) || partial, asText(state.error), ...files];
      return { output: joined(...said, `[state of the tool: ${oneLine(state.status)}]`), isError: true };
    }
  }
}

function asText(value: unknown): string {
  if (value === undefined || value === null) return '';
  return typeof value === 'string' ? value : JSON.stringify(value);
}

/** Joins texts by line breaks, without empty lines between them. */
function joined(...texts: string[]): string {
  return texts
    .filter((text) => text !== '')
    .reduce((all, text) => (all === '' || all.endsWith('\n') ? all + text : `${all}\n${text}`), '');
}
