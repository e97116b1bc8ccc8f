import { basename } from 'node:path';
import { sha256 } from '../../core/hash.js';
import { withoutInjected } from '../../sanitiser/index.js';
import { oneLine } from '../staging/slug.js';
import { PART_LIMIT_BYTES } from './rows.js';
import type { FileData, KnownPart, MessageData, ToolState } from './schema.js';

/** What one part says, before the sanitiser has seen it. */
export type Block =
  | { kind: 'text'; text: string; partId?: string }
  | {
      kind: 'tool';
      callId: string | undefined;
      partId: string;
      name: string;
      input: unknown;
      output: string;
      isError: boolean;
    };

/** The block of a part; undefined for parts that say nothing to a reader. */
export function blockOf(part: KnownPart, partId: string, message: MessageData): Block | undefined {
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
        ...resultOf(part.state),
      };
    case 'compaction':
      return undefined;
  }
}

/** What a message says beyond its parts: its structured answer, and how it ended when it did not end well. */
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

/** Stands for a part that was not loaded. */
export function oversizedBlock(bytes: number): Block {
  const limit = PART_LIMIT_BYTES / 1024 / 1024;
  return { kind: 'text', text: `[part left out: ${megabytes(bytes)}, the limit is ${limit} MB]` };
}

/** True for text parts that make a message count: neither injected, nor hidden, nor empty. */
export function counts(part: KnownPart): boolean {
  return part.type === 'text' && part.synthetic !== true && part.ignored !== true && part.text.trim() !== '';
}

/** False for a user's text part that a harness wrote from beginning to end. */
export function hasOwnWords(part: KnownPart): boolean {
  return part.type === 'text' && withoutInjected(part.text).trim() !== '';
}

/** The same for the same content, whatever ids the rows have: how a fork's copy is recognised. */
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
 * The prompt inside the quotes that `opencode run "…"` wraps around it, which puts a backslash before every
 * quote of the prompt (and before nothing else). When one stands unescaped between them they are the user's
 * own, and stay. White space around the quotes stays too.
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

/** A name and a type; never the address, which may hold the whole file. */
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

/** One below the other; text that ends in a line break already gets no empty line. */
function joined(...texts: string[]): string {
  return texts
    .filter((text) => text !== '')
    .reduce((all, text) => (all === '' || all.endsWith('\n') ? all + text : `${all}\n${text}`), '');
}
