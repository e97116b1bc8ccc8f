import { z } from 'zod';
import { isTooDeep, TOO_DEEP } from '../../core/json-depth.js';
import { isoDate } from './front-matter.js';

/**
 * The records of a transcript (one JSON object per line), as feeders stage them: those of Claude Code. Fields that are
 * not needed are not looked at.
 */
const block = z.looseObject({ type: z.string() });
const message = z.object({ content: z.union([z.string(), z.array(block)]) });
const record = z.object({
  type: z.string(),
  uuid: z.string().optional(),
  messageId: z.string().optional(),
  timestamp: z.string().optional(),
  isMeta: z.boolean().optional(),
  isCompactSummary: z.boolean().optional(),
  summary: z.string().optional(),
});

/** Made once: a schema is compiled when it is first used. */
const withMessage = z.object({ message });

/** What a turn holds, in order. */
export type Part =
  | { kind: 'text'; text: string }
  | { kind: 'call'; id: string | undefined; name: string; input: unknown }
  | { kind: 'result'; id: string | undefined; text: string; error: boolean };

export interface Turn {
  kind: 'turn';
  role: 'user' | 'assistant';
  parts: Part[];
  /** The message it belongs to. */
  id: string | undefined;
  /** `YYYY-MM-DD` in UTC. */
  date: string | undefined;
  /** False for what Claude Code put in the user's mouth: it starts no exchange. */
  spoken: boolean;
  /** Types of blocks that were left out. */
  ignored: string[];
}

export type Read =
  | Turn
  | { kind: 'summary'; text: string }
  | { kind: 'ignored'; type: string }
  | { kind: 'malformed'; reason: string };

/** Reads one line of a staged transcript, in the form that feeders write; never throws. */
export function readRecord(line: string): Read {
  let json: unknown;
  try {
    json = JSON.parse(line);
  } catch {
    return { kind: 'malformed', reason: 'not JSON (a line that was cut off?)' };
  }
  if (isTooDeep(json)) return { kind: 'malformed', reason: TOO_DEEP };
  const parsed = record.safeParse(json);
  if (!parsed.success) return { kind: 'malformed', reason: 'not a transcript record' };
  const { type, summary } = parsed.data;
  if (type === 'summary' && summary !== undefined) return { kind: 'summary', text: summary };
  const role = type === 'human' ? 'user' : type;
  if (role !== 'user' && role !== 'assistant') return { kind: 'ignored', type };
  const content = withMessage.safeParse(json);
  if (!content.success) return { kind: 'malformed', reason: `${role} record without a readable message` };
  const ignored: string[] = [];
  return {
    kind: 'turn',
    role,
    parts: partsOf(content.data.message.content, parsed.data.isCompactSummary === true, ignored),
    id: parsed.data.messageId ?? parsed.data.uuid,
    date: isoDate(parsed.data.timestamp ?? ''),
    spoken: parsed.data.isMeta !== true,
    ignored,
  };
}

type Block = z.infer<typeof block>;

function partsOf(content: string | Block[], summary: boolean, ignored: string[]): Part[] {
  const prefix = summary ? '[compaction summary] ' : '';
  if (typeof content === 'string') return [{ kind: 'text', text: prefix + content }];
  const parts: Part[] = [];
  for (const entry of content) {
    const part = partOf(entry);
    if (part === undefined) ignored.push(`${entry.type} block`);
    else parts.push(part.kind === 'text' && prefix !== '' ? { ...part, text: prefix + part.text } : part);
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
    return {
      kind: 'call',
      id: stringOf(entry.id),
      name: stringOf(entry.name) ?? 'unknown',
      input: entry.input,
    };
  }
  if (type.endsWith('tool_result')) {
    const error = entry.is_error === true;
    return { kind: 'result', id: stringOf(entry.tool_use_id), text: resultText(entry.content), error };
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
    const text = stringOf(parsed.data.text) ?? attachmentLine(parsed.data) ?? stringOf(parsed.data.url);
    if (text !== undefined) lines.push(text);
  }
  return lines.join('\n');
}

const source = z.object({ media_type: z.string().optional() }).optional();

/** One line for an image or a document: its kind, type and title, never its data. */
function attachmentLine(entry: Block): string | undefined {
  if (entry.type !== 'image' && entry.type !== 'document') return undefined;
  const parsed = source.safeParse(entry.source);
  const words = [entry.type, parsed.success ? parsed.data?.media_type : undefined, stringOf(entry.title)];
  return `[${words.filter((word) => word !== undefined && word !== '').join(' ')}]`.replace(/\s+/g, ' ');
}

function stringOf(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}
