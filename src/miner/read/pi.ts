import { z } from 'zod';
import { isoDate } from './front-matter.js';
import type { Part, Read, Turn } from './records.js';

/**
 * The records of a session of pi (`~/.pi/agent/sessions/**`): a header, then entries of a tree. All branches are
 * read, in the order in which they were written.
 */
const block = z.looseObject({ type: z.string() });
const content = z.union([z.string(), z.array(block)]);
const header = z.object({
  type: z.literal('session'),
  id: z.string().min(1),
  cwd: z.string().min(1).optional().catch(undefined),
});
const entry = z.discriminatedUnion('type', [
  z.object({ type: z.literal('message'), message: z.looseObject({ role: z.string() }) }),
  z.object({ type: z.literal('custom_message'), content }),
  z.object({ type: z.literal('compaction'), summary: z.string() }),
  z.object({ type: z.literal('branch_summary'), summary: z.string() }),
]);
const common = z.object({
  id: z.string().optional().catch(undefined),
  timestamp: z.string().optional().catch(undefined),
});
const named = z.object({ type: z.literal('session_info'), name: z.string().min(1) });

/** Whose session it is; undefined for every other record. */
export function piSession(json: unknown): { sessionId: string; cwd?: string | undefined } | undefined {
  const parsed = header.safeParse(json);
  return parsed.success ? { sessionId: parsed.data.id, cwd: parsed.data.cwd } : undefined;
}

/** The name that its user gave the session. */
export function piTitle(json: unknown): string | undefined {
  const parsed = named.safeParse(json);
  return parsed.success ? parsed.data.name.replace(/\s+/g, ' ').trim() || undefined : undefined;
}

/** Undefined for what is no record of pi's that says or does something. */
export function readPiRecord(json: unknown): Read | undefined {
  const parsed = entry.safeParse(json);
  if (!parsed.success) return undefined;
  const { id, timestamp = '' } = common.parse(json);
  const ignored: string[] = [];
  const turn = (role: Turn['role'], parts: Part[], spoken = false): Turn => ({
    kind: 'turn',
    role,
    parts,
    id,
    date: isoDate(timestamp),
    spoken,
    ignored,
  });
  const { data } = parsed;
  if (data.type === 'compaction' || data.type === 'branch_summary')
    return { kind: 'summary', text: data.summary };
  if (data.type === 'custom_message') return turn('user', partsOf(data.content, ignored));
  const { message } = data;
  const { role } = message;
  if (role === 'bashExecution') {
    const ran = `[ran] ${textOf(message.command) ?? ''}\n\n${textOf(message.output) ?? ''}`;
    return turn('user', [{ kind: 'text', text: ran.trimEnd() }]);
  }
  if (role === 'branchSummary' || role === 'compactionSummary') {
    return { kind: 'summary', text: textOf(message.summary) ?? '' };
  }
  const read = content.safeParse(message.content);
  if (!read.success) return { kind: 'malformed', reason: `${role} record without a readable message` };
  const parts = partsOf(read.data, ignored);
  if (role === 'toolResult') {
    const text = parts.map((part) => (part.kind === 'text' ? part.text : '')).join('\n');
    const result: Part = {
      kind: 'result',
      id: textOf(message.toolCallId),
      text,
      error: message.isError === true,
    };
    return turn('user', [result]);
  }
  if (role === 'assistant') return turn('assistant', parts);
  if (role === 'user') return turn('user', parts, true);
  // `custom`, and `hookMessage` as it was called before: what an extension put in.
  return turn('user', parts);
}

function partsOf(given: z.infer<typeof content>, ignored: string[]): Part[] {
  if (typeof given === 'string') return [{ kind: 'text', text: given }];
  const parts: Part[] = [];
  for (const each of given) {
    const { type } = each;
    if (type === 'text' && typeof each.text === 'string') parts.push({ kind: 'text', text: each.text });
    else if (type === 'thinking' && typeof each.thinking === 'string')
      parts.push({ kind: 'text', text: `[reasoning] ${each.thinking}` });
    else if (type === 'toolCall')
      parts.push({
        kind: 'call',
        id: textOf(each.id),
        name: textOf(each.name) ?? 'unknown',
        input: each.arguments,
      });
    else if (type === 'image')
      parts.push({ kind: 'text', text: `[image ${textOf(each.mimeType) ?? ''}]`.replace(' ]', ']') });
    else ignored.push(`${type} block`);
  }
  return parts;
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}
