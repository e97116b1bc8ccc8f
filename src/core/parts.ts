import { text as textOf, value } from './fields.js';
import { isRecord } from './json.js';

/** A part of a transcript's turn. */
export type Part =
  | { kind: 'text'; text: string }
  | { kind: 'call'; id: string | undefined; name: string; input: unknown }
  | { kind: 'result'; id: string | undefined; text: string; error: boolean };

type ContentBlock = Record<string, unknown>;

/** The content of a message in Anthropic's API, Kimi and pi: a text or a list of typed blocks. Null: it says nothing. */
type Content = string | readonly unknown[] | null;

/** The content at a path of fields; undefined if another value is there. */
export function contentAt(json: unknown, ...path: readonly string[]): Content | undefined {
  const found = value(json, ...path);
  return found === null || typeof found === 'string' || Array.isArray(found) ? found : undefined;
}

export const textPart = (text: string): Part => ({ kind: 'text', text });
export const reasoningPart = (text: string): Part => textPart(`[reasoning] ${text}`);
/** The mark before a program's summary of a conversation. */
export const COMPACTION_SUMMARY = /^\[compaction summary\] /;
export const compactionSummary = (part: Part): Part =>
  part.kind === 'text' ? textPart(`[compaction summary] ${part.text}`) : part;

/** Blocks of unknown types are ignored; one without a type is read as what it seems to be. */
export function contentParts(content: Content): Part[] {
  if (typeof content === 'string') return [textPart(content)];
  return (content ?? []).flatMap((block) => partOf(block) ?? []);
}

function partOf(block: unknown): Part | undefined {
  if (typeof block === 'string') return textPart(block);
  if (!isRecord(block)) return undefined;
  const { id } = block;
  const type = textOf(block.type) ?? seemingType(block);
  if (type === 'text') return typeof block.text === 'string' ? textPart(block.text) : undefined;
  if (type === 'thinking' || type === 'think') {
    const said = textOf(block[type]);
    return said === undefined ? undefined : reasoningPart(said);
  }
  // Tools that the provider runs are named server_tool_use and <tool>_tool_result.
  if (type.endsWith('tool_use') || type === 'toolCall') {
    const input = type === 'toolCall' ? block.arguments : block.input;
    return { kind: 'call', id: textOf(id), name: textOf(block.name) ?? 'unknown', input };
  }
  if (type.endsWith('tool_result')) {
    const error = block.is_error === true;
    return { kind: 'result', id: textOf(block.tool_use_id), text: resultText(block.content), error };
  }
  const attachment = attachmentLine(block);
  return attachment === undefined ? undefined : textPart(attachment);
}

/** What a block whose type is missing seems to be. */
function seemingType(block: ContentBlock): string {
  if ('tool_use_id' in block) return 'tool_result';
  if ('input' in block) return 'tool_use';
  return ['thinking', 'think'].find((field) => typeof block[field] === 'string') ?? 'text';
}

function resultText(content: unknown): string {
  if (typeof content === 'string') return content;
  if (!Array.isArray(content)) return '';
  const lines = content.flatMap((each) => {
    if (!isRecord(each)) return textOf(each) ?? [];
    return textOf(each.text) ?? attachmentLine(each) ?? textOf(each.url) ?? [];
  });
  return lines.join('\n');
}

/** One line for an attachment: kind, type and title. Never the URL, which may contain the data. */
function attachmentLine(block: ContentBlock): string | undefined {
  const kind = /^(image|document)$|^(image|audio|video)_url$/.exec(textOf(block.type) ?? '')?.[0];
  if (kind === undefined) return undefined;
  const type = textOf(isRecord(block.source) ? block.source.media_type : undefined) ?? textOf(block.mimeType);
  return `[${[kind.replace('_url', ''), type, textOf(block.title)].filter(Boolean).join(' ')}]`.replace(
    /\s+/g,
    ' ',
  );
}
