import { z } from 'zod';
import { sha256 } from '../../../../core/hash.js';
import type { Entry, Part, Turn } from '../../entry.js';
import type { ConversationFiles } from '../../harness.js';
import { otherRecord } from '../../records.js';
import { block, partsOf, withWholeOutput } from './blocks.js';
import { programsWords } from './words.js';

const optional = z.string().optional().catch(undefined);
const message = z.object({ id: optional, model: optional, content: z.union([z.string(), z.array(block)]) });
const record = z.object({
  type: z.string(),
  uuid: z.string().optional(),
  messageId: z.string().optional(),
  timestamp: z.string().optional(),
  isMeta: z.boolean().optional(),
  isCompactSummary: z.boolean().optional(),
  isSidechain: z.boolean().optional().catch(undefined),
  agentId: optional,
  version: optional,
  subtype: optional,
  forkedFrom: z.object({ messageUuid: optional }).optional().catch(undefined),
  toolUseResult: z.unknown().optional(),
});
const queued = z.object({
  type: z.literal('queued_command'),
  prompt: z.union([z.string(), z.array(block)]),
  commandMode: optional,
  isMeta: z.boolean().optional().catch(undefined),
});
// Made once: a schema is compiled when it is first used.
const withMessage = z.object({ message });
const withAttachment = z.object({ attachment: queued });
const withContent = z.object({ content: z.string() });
type Fields = z.infer<typeof record>;

/** What a record says, but for summaries and titles. */
export function readRecord(json: unknown, line: number, conversation: ConversationFiles): Entry {
  const parsed = record.safeParse(json);
  if (!parsed.success) return { kind: 'malformed', line, reason: 'not a transcript record' };
  const { data } = parsed;
  const role = data.type === 'human' ? 'user' : data.type;
  if (role === 'attachment') return queuedTurn(json, data, conversation) ?? otherRecord(json, line);
  if (role === 'system') return localCommand(json, data, conversation) ?? otherRecord(json, line);
  if (role !== 'user' && role !== 'assistant') return otherRecord(json, line);
  const content = withMessage.safeParse(json);
  if (!content.success)
    return { kind: 'malformed', line, reason: `${role} record without a readable message` };
  const said = content.data.message;
  const ignored: string[] = [];
  const parts = withWholeOutput(partsOf(said.content, ignored), data.toolUseResult);
  if (role === 'user') return usersTurn(parts, data, ignored, conversation);
  return {
    ...turnOf(data, 'assistant', parts, ignored),
    spoken: true,
    synthetic: said.model === '<synthetic>',
    message: said.id,
    copyKey: copyKeyOf(data, said.id, parts),
  };
}

function turnOf(data: Fields, role: Turn['role'], parts: Part[], ignored: string[]): Turn {
  return {
    kind: 'turn',
    role,
    parts,
    id: data.messageId ?? data.uuid,
    at: data.timestamp,
    spoken: false,
    copyOf: data.forkedFrom?.messageUuid,
    ignored,
  };
}

function usersTurn(parts: Part[], data: Fields, ignored: string[], conversation: ConversationFiles): Turn {
  const turn = { ...turnOf(data, 'user', parts, ignored), copyKey: copyKeyOf(data, undefined, parts) };
  if (data.isCompactSummary === true) return { ...turn, parts: parts.map(asSummary), synthetic: true };
  if (data.isMeta === true) return { ...turn, synthetic: true };
  const [first] = parts;
  const program =
    parts.length === 1 && first?.kind === 'text' ? programsWords(first.text, conversation) : undefined;
  if (program !== undefined) return { ...turn, ...program };
  // In a session's own transcript: what an agent asked of another, as releases before 2.0 have it.
  const inline = data.isSidechain === true && conversation.identity.agentId === undefined;
  return { ...turn, spoken: !inline, synthetic: inline };
}

function asSummary(part: Part): Part {
  return part.kind === 'text' ? { ...part, text: `[compaction summary] ${part.text}` } : part;
}

/** What a person typed while the agent was at work, and what else was put in then. */
function queuedTurn(json: unknown, data: Fields, conversation: ConversationFiles): Turn | undefined {
  const { data: held } = withAttachment.safeParse(json);
  if (held === undefined) return undefined;
  const { prompt, isMeta } = held.attachment;
  const ignored: string[] = [];
  return usersTurn(partsOf(prompt, ignored), { ...data, isMeta }, ignored, conversation);
}

/** A command that Claude Code answered itself, and what it printed. */
function localCommand(json: unknown, data: Fields, conversation: ConversationFiles): Turn | undefined {
  if (data.subtype !== 'local_command') return undefined;
  const { data: said } = withContent.safeParse(json);
  const program = said === undefined ? undefined : programsWords(said.content, conversation);
  return program && { ...turnOf(data, 'user', program.parts, []), synthetic: true };
}

/**
 * What copies of a record have in common with it. Releases before 2.0 copy a session that is resumed into a new file,
 * with other ids and times: an answer keeps the id of its message, what a user said nothing but its words.
 */
function copyKeyOf({ version }: Fields, messageId: string | undefined, parts: Part[]): Turn['copyKey'] {
  if (version === undefined || !/^[01]\./.test(version) || parts.length === 0) return undefined;
  const key = sha256(JSON.stringify([messageId ?? null, parts])).slice(0, 24);
  return { key, weak: messageId === undefined };
}
