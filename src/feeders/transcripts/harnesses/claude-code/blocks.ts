import { z } from 'zod';
import type { Part } from '../../entry.js';
import { textOf } from '../../records.js';

/** A block of a message's content. */
export const block = z.looseObject({ type: z.string() });
type Block = z.infer<typeof block>;

/** What a message's content says; types of blocks that say nothing are added to `ignored`. */
export function partsOf(content: string | readonly Block[], ignored: string[]): Part[] {
  if (typeof content === 'string') return [{ kind: 'text', text: content }];
  const parts: Part[] = [];
  for (const entry of content) {
    const part = partOf(entry);
    if (part === undefined) ignored.push(`${entry.type} block`);
    else parts.push(part);
  }
  return parts;
}

function partOf(entry: Block): Part | undefined {
  const { type } = entry;
  if (type === 'text') return typeof entry.text === 'string' ? { kind: 'text', text: entry.text } : undefined;
  if (type === 'thinking') {
    return typeof entry.thinking === 'string'
      ? { kind: 'text', text: `[reasoning] ${entry.thinking}` }
      : undefined;
  }
  // Tools that the provider runs itself come as server_tool_use and <tool>_tool_result.
  if (type.endsWith('tool_use')) {
    return { kind: 'call', id: textOf(entry.id), name: textOf(entry.name) ?? 'unknown', input: entry.input };
  }
  if (type.endsWith('tool_result')) {
    const error = entry.is_error === true;
    return { kind: 'result', id: textOf(entry.tool_use_id), text: resultText(entry.content), error };
  }
  const attachment = attachmentLine(entry);
  return attachment === undefined ? undefined : { kind: 'text', text: attachment };
}

function resultText(content: unknown): string {
  if (typeof content === 'string') return content;
  if (!Array.isArray(content)) return '';
  const lines: string[] = [];
  for (const entry of content) {
    const parsed = block.safeParse(entry);
    if (!parsed.success) continue;
    const text = textOf(parsed.data.text) ?? attachmentLine(parsed.data) ?? textOf(parsed.data.url);
    if (text !== undefined) lines.push(text);
  }
  return lines.join('\n');
}

const source = z.object({ media_type: z.string().optional() }).optional();

/** One line for an image or a document: its kind, type and title, never its data. */
function attachmentLine(entry: Block): string | undefined {
  if (entry.type !== 'image' && entry.type !== 'document') return undefined;
  const parsed = source.safeParse(entry.source);
  const words = [entry.type, parsed.success ? parsed.data?.media_type : undefined, textOf(entry.title)];
  return `[${words.filter((word) => word !== undefined && word !== '').join(' ')}]`.replace(/\s+/g, ' ');
}

const printed = z.looseObject({
  stdout: z.string(),
  stderr: z.string().catch(''),
  isImage: z.boolean().catch(false),
});

/**
 * The parts with the whole output of a command, where the record keeps more of it beside the message than in it (a long
 * one is shown to the model as a preview of 2 KB).
 */
export function withWholeOutput(parts: Part[], toolUseResult: unknown): Part[] {
  const { data } = printed.safeParse(toolUseResult);
  const results = parts.filter((part) => part.kind === 'result');
  const [shown] = results;
  if (data === undefined || data.isImage || shown === undefined || results.length !== 1) return parts;
  const whole = [data.stdout, data.stderr].filter((text) => text !== '').join('\n');
  const holdsAll = whole.trim().length <= shown.text.length || shown.text.includes(whole.trim());
  return holdsAll ? parts : parts.map((part) => (part === shown ? { ...shown, text: whole } : part));
}
