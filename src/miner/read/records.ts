import { z } from 'zod';
import { isTooDeep, parseJson, TOO_DEEP } from '../../core/json.js';
import { compactionSummary, contentParts, contentSchema, type Part } from '../../core/parts.js';
import { isoDate } from './front-matter.js';

/** The needed fields of a staged transcript's records, which have Claude Code's format. */
const record = z.object({
  type: z.string(),
  uuid: z.string().optional(),
  messageId: z.string().optional(),
  timestamp: z.string().optional(),
  isMeta: z.boolean().optional(),
  isCompactSummary: z.boolean().optional(),
  summary: z.string().optional(),
});

const withMessage = z.object({ message: z.object({ content: contentSchema }) });

export interface RecordedTurn {
  kind: 'turn';
  role: 'user' | 'assistant';
  parts: Part[];
  /** Id of its message. */
  id: string | undefined;
  /** `YYYY-MM-DD` in UTC. */
  date: string | undefined;
  /** False for injected text in the user's name: it does not start an exchange. */
  spoken: boolean;
}

export type Read =
  | RecordedTurn
  | { kind: 'summary'; text: string }
  | { kind: 'silent' }
  | { kind: 'malformed'; reason: string };

/** Reads one line of a staged transcript; never throws. */
export function readRecord(line: string): Read {
  const json = parseJson(line);
  if (json === undefined) return { kind: 'malformed', reason: 'not JSON (a line that was cut off?)' };
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
    parts: data.isCompactSummary === true ? parts.map(compactionSummary) : parts,
    id: data.messageId ?? data.uuid,
    date: isoDate(data.timestamp ?? ''),
    spoken: data.isMeta !== true,
  };
}
