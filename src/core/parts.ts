import { array, looseObject, object, optional, type Shaped, shaped, string, union } from './shape.js';

/** A part of a transcript's turn. */
export type Part =
  | { kind: 'text'; text: string }
  | { kind: 'call'; id: string | undefined; name: string; input: unknown }
  | { kind: 'result'; id: string | undefined; text: string; error: boolean };

const blockShape = looseObject({ type: string });
type ContentBlock = Shaped<typeof blockShape>;

/** The content of a message in Anthropic's API, Kimi and pi: a text or a list of typed blocks. */
export const contentShape = union(string, array(blockShape));
export type Content = Shaped<typeof contentShape>;

export const textPart = (text: string): Part => ({ kind: 'text', text });
export const reasoningPart = (text: string): Part => textPart(`[reasoning] ${text}`);
/** The mark before a program's summary of a conversation. */
export const COMPACTION_SUMMARY = /^\[compaction summary\] /;
export const compactionSummary = (part: Part): Part =>
  part.kind === 'text' ? textPart(`[compaction summary] ${part.text}`) : part;

export function textOf(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}

/** Blocks of unknown types are ignored. */
export function contentParts(content: Content): Part[] {
  return typeof content === 'string' ? [textPart(content)] : content.flatMap((block) => partOf(block) ?? []);
}

function partOf(block: ContentBlock): Part | undefined {
  const { type, id } = block;
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

function resultText(content: unknown): string {
  if (typeof content === 'string') return content;
  if (!Array.isArray(content)) return '';
  const lines = content.flatMap((each) => {
    const data = shaped(blockShape, each);
    return data === undefined ? [] : (textOf(data.text) ?? attachmentLine(data) ?? textOf(data.url) ?? []);
  });
  return lines.join('\n');
}

const source = object({ media_type: optional(string) });

/** One line for an attachment: kind, type and title. Never the URL, which may contain the data. */
function attachmentLine(block: ContentBlock): string | undefined {
  const kind = /^(image|document)$|^(image|audio|video)_url$/.exec(block.type)?.[0].replace('_url', '');
  if (kind === undefined) return undefined;
  const type = shaped(source, block.source)?.media_type ?? textOf(block.mimeType);
  return `[${[kind, type, textOf(block.title)].filter(Boolean).join(' ')}]`.replace(/\s+/g, ' ');
}
