import { join } from 'node:path';
import { z } from 'zod';
import { sha256 } from '../../../core/hash.js';
import type { Part, Turn } from '../entry.js';
import { googleParts } from '../google-parts.js';
import type { ConversationFiles, FileHead, Harness, Identity } from '../harness.js';
import { homeOf } from '../homes.js';
import { jsonRecords, otherRecord, textOf } from '../records.js';
import { mentions, type Step, withRewinds } from '../rewinds.js';

/**
 * The records of a session of Qwen Code (`~/.qwen/projects/<folder>/chats/<session id>.jsonl`): messages as the API
 * has them, in a tree of uuids. Telemetry says the same again, except for errors of the API.
 */
const named = z.string().min(1).optional().catch(undefined);
const record = z.looseObject({
  uuid: z.string().min(1),
  parentUuid: z.string().nullish().catch(undefined),
  sessionId: z.string().min(1),
  timestamp: named,
  type: z.string(),
  subtype: named,
  provenance: named,
  cwd: named,
  agentId: named,
  message: z.looseObject({ parts: z.unknown().optional() }).optional().catch(undefined),
  forkedFrom: z.looseObject({ sessionId: z.string() }).optional().catch(undefined),
});
type QwenRecord = z.infer<typeof record>;

const toolResult = z.looseObject({
  toolCallResult: z.looseObject({ callId: named, status: named, resultDisplay: z.unknown().optional() }),
});
const apiError = z.object({
  uiEvent: z.looseObject({
    'event.name': z.string().endsWith('api_error'),
    error_message: z.string().min(1),
  }),
});
const title = z.object({ customTitle: z.string().min(1), titleSource: named });
const command = z.object({ phase: z.literal('invocation'), rawCommand: z.string().min(1) });
const compression = z.object({
  compressedHistory: z.array(z.looseObject({ role: z.string(), parts: z.unknown().optional() })),
});

/** A title that the user gave is kept when the program makes another. */
const RANK = { auto: 1, manual: 2 };
/** Subtypes of user records that a person typed. */
const TYPED = new Set([undefined, 'mid_turn_user_message', 'realtime_message']);
const SNAPSHOT = /<state_snapshot>/;

export const qwen: Harness = {
  name: 'qwen',
  label: 'Qwen Code',
  version: 1,
  places(env) {
    const home = homeOf(env, 'QWEN_HOME', '.qwen');
    return [...new Set([homeOf(env, 'QWEN_RUNTIME_DIR', ''), home])]
      .filter((folder) => folder === home || env.QWEN_RUNTIME_DIR)
      .map((folder) => join(folder, 'projects'));
  },
  patterns: ['**/*.jsonl'],
  recognises: ({ records }) => records.some(isQwens),
  identify: (head) => [identityOf(head)],
  idsAreUnique: true,
  sameSession: 'joined',
  async *read(conversation) {
    const mayRewind = await mentions(conversation, ['"subtype":"rewind"', '"subtype": "rewind"']);
    yield* withRewinds(() => steps(conversation), mayRewind);
  },
};

function isQwens(json: unknown): boolean {
  const { data } = record.safeParse(json);
  if (data === undefined || data.parentUuid === undefined) return false;
  return data.type === 'system' ? data.systemPayload !== undefined : Array.isArray(data.message?.parts);
}

function identityOf({ records }: FileHead): Identity {
  const found = records.flatMap((json) => record.safeParse(json).data ?? []);
  const [first] = found;
  const origins = new Set(found.flatMap(({ forkedFrom }) => forkedFrom?.sessionId ?? []));
  // What a fork copied has the times of the original.
  const own = found.find(({ forkedFrom }) => forkedFrom === undefined) ?? found.at(-1);
  return {
    sessionId: first?.sessionId,
    agentId: first?.agentId,
    cwd: first?.cwd,
    begun: own?.timestamp,
    copiedFrom: origins.size > 0 ? [...origins] : undefined,
  };
}

async function* steps(conversation: ConversationFiles): AsyncGenerator<Step> {
  const seen = new Set<string>();
  const said = new Set<string>();
  let lastError: string | undefined;
  for await (const line of jsonRecords(conversation)) {
    if ('kind' in line) {
      yield line;
      continue;
    }
    const parsed = record.safeParse(line.json);
    if (!parsed.success) {
      yield otherRecord(line.json, line.line);
      continue;
    }
    const { uuid, type, subtype } = parsed.data;
    if (seen.has(uuid)) continue;
    seen.add(uuid);
    yield { kind: 'place', name: uuid };
    if (type === 'system') {
      const step = systemStep(parsed.data, said);
      // A request that is tried again fails with the same words.
      if (step.kind === 'turn' && step.role === 'assistant') {
        const text = wordsOf(step.parts);
        if (text === lastError) continue;
        lastError = text;
      }
      yield step;
      continue;
    }
    lastError = undefined;
    if (type !== 'user' && type !== 'assistant' && type !== 'tool_result') {
      yield { kind: 'ignored', type: subtype ?? type };
      continue;
    }
    const turn = turnOf(parsed.data, type);
    if (turn.role === 'user') said.add(sha256(wordsOf(turn.parts)));
    yield turn;
  }
}

function turnOf(data: QwenRecord, type: 'user' | 'assistant' | 'tool_result'): Turn {
  const { uuid, timestamp, subtype, provenance, message } = data;
  const ignored: string[] = [];
  let parts = googleParts(message?.parts, ignored);
  if (type === 'tool_result') parts = resultsOf(data, parts);
  const spoken =
    type === 'user' &&
    TYPED.has(subtype) &&
    (provenance === undefined || provenance === 'real_user') &&
    data.externalInputKind !== 'notification' &&
    parts.some(({ kind }) => kind === 'text');
  return {
    kind: 'turn',
    role: type === 'assistant' ? 'assistant' : 'user',
    parts,
    id: uuid,
    at: timestamp,
    spoken,
    synthetic: type === 'user' && !spoken,
    ignored,
  };
}

/** The status says more than the response: `error` there may be worded as output here. */
function resultsOf(data: QwenRecord, parts: Part[]): Part[] {
  const parsed = toolResult.safeParse(data);
  if (!parsed.success) return parts;
  const { callId, status, resultDisplay } = parsed.data.toolCallResult;
  const error = status === 'error' || status === 'cancelled';
  if (parts.length === 0 && typeof resultDisplay === 'string' && resultDisplay !== '')
    return [{ kind: 'result', id: callId, text: resultDisplay, error }];
  return parts.map((part) => (part.kind === 'result' ? { ...part, error: part.error || error } : part));
}

function systemStep(data: QwenRecord, said: ReadonlySet<string>): Step {
  const { uuid, timestamp: at, parentUuid, subtype, systemPayload } = data;
  const type = subtype ?? 'system';
  const turn = (role: Turn['role'], text: string): Turn => ({
    kind: 'turn',
    role,
    parts: [{ kind: 'text', text }],
    id: uuid,
    at,
    spoken: false,
    synthetic: true,
    ignored: [],
  });
  if (subtype === 'rewind')
    return parentUuid == null ? { kind: 'rewind', from: '', at } : { kind: 'rewind', after: parentUuid, at };
  if (subtype === 'ui_telemetry') {
    const failed = apiError.safeParse(systemPayload).data;
    if (failed !== undefined) return turn('assistant', `[error] ${failed.uiEvent.error_message}`);
  }
  if (subtype === 'custom_title') {
    const given = title.safeParse(systemPayload).data;
    if (given !== undefined) {
      const rank = given.titleSource === 'auto' ? RANK.auto : RANK.manual;
      return { kind: 'fact', title: { text: given.customTitle, rank } };
    }
  }
  if (subtype === 'slash_command') {
    const typed = command.safeParse(systemPayload).data;
    if (typed !== undefined) return turn('user', `[command] ${typed.rawCommand}`);
  }
  if (subtype === 'chat_compression') {
    const text = summaryOf(systemPayload, said);
    if (text !== undefined) return { kind: 'summary', text };
  }
  return { kind: 'ignored', type };
}

/** The compressed history is the summary, an answer of the program to it, and messages that were kept. */
function summaryOf(payload: unknown, said: ReadonlySet<string>): string | undefined {
  const { data } = compression.safeParse(payload);
  const texts = (data?.compressedHistory ?? [])
    .filter(({ role }) => role === 'user')
    .map(({ parts }) => wordsOf(googleParts(parts, [])))
    .filter((text) => text !== '' && !/^\s*<system-reminder>/.test(text));
  return texts.find((text) => SNAPSHOT.test(text)) ?? texts.find((text) => !said.has(sha256(text)));
}

function wordsOf(parts: readonly Part[]): string {
  return parts.flatMap((part) => (part.kind === 'text' ? (textOf(part.text) ?? []) : [])).join('\n');
}
