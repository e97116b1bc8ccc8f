import { z } from 'zod';
import type { CheckpointEvent, Compaction } from '../../checkpoint/index.js';
import { dayOfText } from '../../core/day.js';
import { isTooDeep, parseJson, TOO_DEEP } from '../../core/json.js';
import {
  COMPACTION_SUMMARY,
  compactionSummary,
  contentAt,
  contentParts,
  type Part,
} from '../../core/parts.js';

/** The needed fields of a staged transcript's records, which have Claude Code's format. */
const record = z.object({
  type: z.string(),
  uuid: z.string().optional(),
  messageId: z.string().optional(),
  timestamp: z.string().optional(),
  isMeta: z.boolean().optional(),
  isCompactSummary: z.boolean().optional(),
  isSidechain: z.boolean().optional().catch(undefined),
  summary: z.string().optional(),
  branch: z.string().optional(),
  compaction: z
    .object({ tokensBefore: z.number().optional(), tokensAfter: z.number().optional() })
    .optional()
    .catch(undefined),
});

export interface RecordedTurn {
  kind: 'turn';
  role: 'user' | 'assistant';
  parts: Part[];
  id: string | undefined;
  /** `YYYY-MM-DD` in UTC. */
  date: string | undefined;
  /** ISO 8601. */
  at: string | undefined;
  /** False for injected text in the user's name: it does not start an exchange. */
  spoken: boolean;
  compaction: Compaction | undefined;
  /** Of a sub-agent within its session's transcript. */
  subagent?: boolean | undefined;
}

export type Read =
  | RecordedTurn
  | Extract<CheckpointEvent, { kind: 'summary' | 'fact' }>
  | { kind: 'silent' }
  | { kind: 'malformed'; reason: string };

/** Reads one line of a staged transcript; never throws. */
export function readRecord(line: string): Read {
  const json = parseJson(line);
  if (json === undefined) return { kind: 'malformed', reason: 'not JSON (a line that was cut off?)' };
  if (isTooDeep(json)) return { kind: 'malformed', reason: TOO_DEEP };
  const { data } = record.safeParse(json);
  if (data === undefined) return { kind: 'malformed', reason: 'not a transcript record' };
  const { compaction } = data;
  if (data.type === 'summary' && data.summary !== undefined)
    return { kind: 'summary', text: data.summary, compaction };
  if (data.type === 'fact') return { kind: 'fact', branch: data.branch, compaction };
  const role = data.type === 'human' ? 'user' : data.type;
  if (role !== 'user' && role !== 'assistant') return { kind: 'silent' };
  const content = contentAt(json, 'message', 'content');
  if (content === undefined)
    return { kind: 'malformed', reason: `${role} record without a readable message` };
  const read = contentParts(content);
  const parts = data.isCompactSummary === true ? read.map(compactionSummary) : read;
  return {
    kind: 'turn',
    role,
    parts,
    id: data.messageId ?? data.uuid,
    date: dayOfText(data.timestamp ?? ''),
    at: data.timestamp,
    spoken: data.isMeta !== true,
    subagent: data.isSidechain,
    compaction: compaction ?? (isCompaction(role, data.isMeta, parts) ? {} : undefined),
  };
}

/** The feeders mark the summary of a compaction, which nobody says. */
function isCompaction(role: string, isMeta: boolean | undefined, [first]: readonly Part[]): boolean {
  const own = role === 'assistant' || isMeta === true;
  return own && first?.kind === 'text' && COMPACTION_SUMMARY.test(first.text);
}
