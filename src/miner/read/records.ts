import { z } from 'zod';
import { isTooDeep, TOO_DEEP } from '../../core/json-depth.js';
import { contentParts, contentSchema, type Part, textPart } from '../../core/parts.js';
import { isoDate } from './front-matter.js';

/**
 * The records of a transcript (one JSON object per line), as feeders stage them: those of Claude Code. Fields that are
 * not needed are not looked at.
 */
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
const withMessage = z.object({ message: z.object({ content: contentSchema }) });

export interface RecordedTurn {
  kind: 'turn';
  role: 'user' | 'assistant';
  parts: Part[];
  /** The message it belongs to. */
  id: string | undefined;
  /** `YYYY-MM-DD` in UTC. */
  date: string | undefined;
  /** False for what Claude Code put in the user's mouth: it starts no exchange. */
  spoken: boolean;
}

export type Read =
  | RecordedTurn
  | { kind: 'summary'; text: string }
  /** A record that says nothing. */
  | { kind: 'silent' }
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
  const { data } = record.safeParse(json);
  if (data === undefined) return { kind: 'malformed', reason: 'not a transcript record' };
  if (data.type === 'summary' && data.summary !== undefined) return { kind: 'summary', text: data.summary };
  const role = data.type === 'human' ? 'user' : data.type;
  if (role !== 'user' && role !== 'assistant') return { kind: 'silent' };
  const content = withMessage.safeParse(json).data?.message.content;
  if (content === undefined)
    return { kind: 'malformed', reason: `${role} record without a readable message` };
  const parts = contentParts(content);
  return {
    kind: 'turn',
    role,
    parts: data.isCompactSummary === true ? parts.map(asSummary) : parts,
    id: data.messageId ?? data.uuid,
    date: isoDate(data.timestamp ?? ''),
    spoken: data.isMeta !== true,
  };
}

function asSummary(part: Part): Part {
  return part.kind === 'text' ? textPart(`[compaction summary] ${part.text}`) : part;
}
