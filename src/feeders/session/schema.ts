import { z } from 'zod';
import { issueText } from '../../core/issues.js';
import { isTooDeep, parseJson, TOO_DEEP } from '../../core/json.js';

/**
 * The fields of opencode's rows (releases 1.2.1 to 1.18.33 and the JSON files of 1.1) that a transcript needs; rows of
 * opencode 2 are brought into this form (see `translate.ts`). A row is unparsed if a required field has the wrong type;
 * optional fields of the wrong type are dropped.
 */

const text = z.string().optional().catch(undefined);
const flag = z.boolean().optional().catch(undefined);
/** Epoch milliseconds in the range of a `Date`. */
const time = z.number().min(-8.64e15).max(8.64e15);

export const sessionRow = z.object({
  id: z.string().min(1),
  parent_id: z.string().nullish(),
  slug: z.string().nullish(),
  directory: z.string().nullish(),
  title: z.string().nullish(),
  version: z.string().nullish(),
  revert: z.string().nullish(),
  /** opencode 2: the session that this one was forked from, and the message before which. */
  fork_session_id: z.string().nullish().catch(undefined),
  fork_boundary: z.string().nullish().catch(undefined),
  time_created: time.nullish(),
  time_updated: time.nullish(),
});

export const SESSION_COLUMNS = Object.keys(sessionRow.shape);

export type SessionRow = Omit<z.infer<typeof sessionRow>, 'time_created'> & {
  time_created: number;
  /** One of its times was not believable. */
  misdated?: boolean;
};

const given = z.string().nullish().catch(undefined);
export const optionalNumber = z.number().optional().catch(undefined);
/** A session as the JSON files of 1.1 and `opencode export` write it. */
export const sessionInfo = z
  .object({
    id: z.string().min(1),
    parentID: given,
    slug: given,
    directory: given,
    title: given,
    version: given,
    revert: z.unknown().optional(),
    time: z.object({ created: time, updated: optionalNumber }),
  })
  .transform(({ parentID, revert, time, ...same }) => ({
    ...same,
    parent_id: parentID,
    revert: revert == null ? null : JSON.stringify(revert),
    time_created: time.created,
    time_updated: time.updated ?? time.created,
  }));

/** The point to which the user reverted the session; kept until the next prompt deletes what follows. */
export const revertData = z.preprocess(
  (revert) => {
    if (typeof revert !== 'object' || revert === null || 'messageID' in revert) return revert;
    // Its name in other releases of opencode 2.
    const { messageId, message_id, to, boundary } = z.record(z.string(), z.unknown()).parse(revert);
    return {
      ...revert,
      messageID: [messageId, message_id, to, boundary].find((id) => typeof id === 'string'),
    };
  },
  z.object({ messageID: z.string(), partID: z.string().nullish() }),
);

/** A row of `message` or `part`. `data` is null if it was too large to load. */
export const dataRow = z.object({
  id: z.string().min(1),
  time_created: time,
  data: z.string().nullable(),
  bytes: z.number(),
});
export type DataRow = z.infer<typeof dataRow>;

const messageData = z.object({
  role: z.string(),
  modelID: text,
  /** True for the answer that contains a compaction's summary; an object in user messages. */
  summary: flag,
  path: z.object({ cwd: text, root: text }).optional().catch(undefined),
  error: z
    .object({
      name: z.string().catch('Error'),
      data: z.object({ message: text }).optional().catch(undefined),
      message: text,
    })
    .nullish()
    .catch(undefined),
  structured: z.unknown().optional(),
});
export type MessageData = z.infer<typeof messageData>;

const file = z.object({ filename: text, mime: text, url: text });
export type FileData = z.infer<typeof file>;

const toolState = z.object({
  status: z.string(),
  input: z.unknown().optional(),
  output: z.unknown().optional(),
  error: z.unknown().optional(),
  raw: text,
  metadata: z.object({ output: text, truncated: flag, outputPath: text }).nullish().catch(undefined),
  attachments: z.array(file).nullish().catch(undefined),
});
export type ToolState = z.infer<typeof toolState>;

const shownParts = {
  text: z.object({ type: z.literal('text'), text: z.string(), synthetic: flag, ignored: flag }),
  reasoning: z.object({ type: z.literal('reasoning'), text: z.string() }),
  tool: z.object({ type: z.literal('tool'), tool: z.string(), callID: text, state: toolState }),
  file: z.object({ type: z.literal('file'), ...file.shape }),
  subtask: z.object({ type: z.literal('subtask'), prompt: z.string() }),
  compaction: z.object({ type: z.literal('compaction'), overflow: flag }),
};
export type ToolPart = z.infer<typeof shownParts.tool>;
type PartType = keyof typeof shownParts;
export type KnownPart = z.infer<(typeof shownParts)[PartType]>;

/** Internal data of the program, or repetitions of other parts. */
const LEFT_OUT = new Set(['step-start', 'step-finish', 'patch', 'snapshot', 'agent', 'retry']);

const typed = z.object({ type: z.string() });

type Unparsed = { kind: 'unparsed'; why: string };
const NO_DATA: Unparsed = { kind: 'unparsed', why: 'not of the known form' };

export type ReadPart =
  | { kind: 'part'; part: KnownPart }
  | { kind: 'left-out' }
  /** `words`: it may be part of the conversation. */
  | { kind: 'unknown'; type: string; words: boolean }
  | Unparsed;

export function readPart(data: string | null | undefined): ReadPart {
  if (typeof data !== 'string') return NO_DATA;
  const json = parseJson(data);
  const problem = jsonProblem(json);
  if (problem !== undefined) return problem;
  const type = typed.safeParse(json).data?.type;
  if (type === undefined) return { kind: 'unparsed', why: 'no type' };
  if (LEFT_OUT.has(type)) return { kind: 'left-out' };
  if (!isShown(type)) return { kind: 'unknown', type, words: containsWords(json) };
  const part = shownParts[type].safeParse(json);
  return part.success ? { kind: 'part', part: part.data } : { kind: 'unparsed', why: firstIssue(part.error) };
}

/** Whether it contains a text with several words, unlike ids, hashes and states. */
function containsWords(json: unknown): boolean {
  if (typeof json === 'string') return /\S\s+\S/.test(json);
  return typeof json === 'object' && json !== null && Object.values(json).some(containsWords);
}

function isShown(type: string): type is PartType {
  return Object.hasOwn(shownParts, type);
}

export type ReadMessage = { kind: 'message'; data: MessageData } | Unparsed;

export function readMessage(data: string | null | undefined): ReadMessage {
  if (typeof data !== 'string') return NO_DATA;
  const json = parseJson(data);
  const message = messageData.safeParse(json);
  const problem = jsonProblem(json);
  if (problem !== undefined) return problem;
  if (message.success) return { kind: 'message', data: message.data };
  return { kind: 'unparsed', why: firstIssue(message.error) };
}

function jsonProblem(json: unknown): Unparsed | undefined {
  if (json === undefined) return { kind: 'unparsed', why: 'not JSON' };
  return isTooDeep(json) ? { kind: 'unparsed', why: TOO_DEEP } : undefined;
}

/** Such as `state.status must be text`. */
export function firstIssue(error: z.ZodError): string {
  return issueText(error.issues[0], 'the row');
}

/** Undefined for a message that cannot be read. */
export function roleOf(data: string | null | undefined): string | undefined {
  const read = readMessage(data);
  return read.kind === 'message' ? read.data.role : undefined;
}

/** Undefined for a part that cannot be read, or is of no type that a transcript contains. */
export function partOf(data: string | null | undefined): KnownPart | undefined {
  const read = readPart(data);
  return read.kind === 'part' ? read.part : undefined;
}

/** Whether a copy of a part has content: a migration may have left an empty one. `data` as in its row. */
export function isWholePart(data: string | null | undefined): boolean {
  const read = readPart(data);
  if (read.kind !== 'part') return read.kind !== 'unparsed';
  const { part } = read;
  if (part.type === 'text' || part.type === 'reasoning') return part.text.trim() !== '';
  return part.type !== 'tool' || !['pending', 'running'].includes(part.state.status);
}
