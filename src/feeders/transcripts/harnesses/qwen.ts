import { join } from 'node:path';
import { z } from 'zod';
import { sha256 } from '../../../core/hash.js';
import type { Part } from '../../../core/parts.js';
import { googleParts } from '../google-parts.js';
import type { ConversationFiles, FileHead, Harness, Identity } from '../harness.js';
import { homeOf } from '../homes.js';
import { readRecords } from '../records.js';
import { type Step, withRewinds } from '../rewinds.js';
import { maybe, optionalName } from '../schemas.js';
import { isObject, type Turn, titled, turn, wordsOf } from '../turns.js';

/**
 * Sessions of Qwen Code (`~/.qwen/projects/<folder>/chats/<session id>.jsonl`): messages in the API's format, in a tree
 * of uuids. Telemetry repeats them, except for errors of the API.
 */
const record = z.looseObject({
  uuid: optionalName,
  parentUuid: maybe(z.string().nullish()),
  sessionId: optionalName,
  timestamp: optionalName,
  type: z.string(),
  subtype: optionalName,
  provenance: optionalName,
  cwd: optionalName,
  agentId: optionalName,
  message: maybe(z.looseObject({ parts: z.unknown().optional() })),
  forkedFrom: maybe(z.looseObject({ sessionId: z.string() })),
});
type QwenRecord = z.infer<typeof record>;

const toolResult = z.looseObject({
  toolCallResult: z.looseObject({
    callId: optionalName,
    status: optionalName,
    resultDisplay: z.unknown().optional(),
  }),
});
const apiError = z.object({
  uiEvent: z.looseObject({
    'event.name': z.string().endsWith('api_error'),
    error_message: z.string().min(1),
  }),
});
const title = z.object({ customTitle: z.string().min(1), titleSource: optionalName });
const command = z.object({ phase: z.literal('invocation'), rawCommand: z.string().min(1) });
const compression = z.object({
  compressedHistory: z.array(z.looseObject({ role: z.string(), parts: z.unknown().optional() })),
});

/** The program does not replace a title that the user gave. */
const RANK = { auto: 1, manual: 2 };
/** Subtypes of records that the user typed. */
const TYPED = new Set([undefined, 'mid_turn_user_message', 'realtime_message']);
const SNAPSHOT = /<state_snapshot>/;

export const qwen: Harness = {
  name: 'qwen',
  label: 'Qwen Code',
  patterns: ['**/*.jsonl'],
  places(env) {
    const homes = [
      ...(env.QWEN_RUNTIME_DIR ? [env.QWEN_RUNTIME_DIR] : []),
      homeOf(env, 'QWEN_HOME', '.qwen'),
    ];
    return [...new Set(homes)].map((folder) => join(folder, 'projects'));
  },
  recognises: ({ records }) => records.some(isQwens),
  identify: (head) => [identityOf(head)],
  idsAreUnique: true,
  joinsFiles: true,
  read: (conversation) => withRewinds(() => steps(conversation)),
};

function isQwens(json: unknown): boolean {
  const { data } = record.safeParse(json);
  if (data === undefined || !isObject(json) || !('parentUuid' in json)) return false;
  return data.type === 'system' ? data.systemPayload !== undefined : Array.isArray(data.message?.parts);
}

function identityOf({ records }: FileHead): Identity {
  const found = records.flatMap((json) => record.safeParse(json).data ?? []);
  const [first] = found;
  const origins = new Set(found.flatMap(({ forkedFrom }) => forkedFrom?.sessionId ?? []));
  // Copied records have the times of the original.
  const own = found.find(({ forkedFrom }) => forkedFrom === undefined) ?? found.at(-1);
  return {
    sessionId: found.find(({ sessionId }) => sessionId !== undefined)?.sessionId,
    agentId: first?.agentId,
    cwd: first?.cwd,
    begun: own?.timestamp,
    copiedFrom: origins.size > 0 ? [...origins] : undefined,
  };
}

function steps(conversation: ConversationFiles): AsyncGenerator<Step> {
  const seen = new Set<string>();
  /** Hashes of the texts in the user's name. */
  const said = new Set<string>();
  let lastError: string | undefined;
  return readRecords<Step>(conversation, (json) => {
    const { data } = record.safeParse(json);
    if (data === undefined) return undefined;
    const { uuid, type } = data;
    const name = uuid && `${uuid} ${data.timestamp} ${type}`;
    if (name !== undefined && seen.has(name)) return [];
    if (name !== undefined) seen.add(name);
    const place: Step[] = uuid === undefined ? [] : [{ kind: 'place', name: uuid }];
    if (type === 'system') {
      const read = systemSteps(data, said);
      const [step] = read;
      if (step?.kind === 'turn' && step.role === 'assistant') {
        // A retried request fails with the same words.
        const text = wordsOf(step.parts);
        if (text === lastError) return place;
        lastError = text;
      }
      return [...place, ...read];
    }
    lastError = undefined;
    if (type !== 'user' && type !== 'assistant' && type !== 'tool_result') return place;
    const read = turnOf(data, type);
    if (read.role === 'user') said.add(sha256(wordsOf(read.parts)));
    return [...place, read];
  });
}

function turnOf(data: QwenRecord, type: 'user' | 'assistant' | 'tool_result'): Turn {
  const { uuid: id, timestamp: at, subtype, provenance, message } = data;
  const parts = googleParts(message?.parts);
  if (type === 'assistant') return turn('assistant', parts, { id, at });
  if (type === 'tool_result') return turn('user', resultsOf(data, parts), { id, at });
  const spoken =
    TYPED.has(subtype) &&
    (provenance === undefined || provenance === 'real_user') &&
    data.externalInputKind !== 'notification' &&
    parts.some(({ kind }) => kind === 'text');
  return turn('user', parts, { id, at, spoken, synthetic: !spoken });
}

/** The status is more reliable than the response, which may contain an error as output. */
function resultsOf(data: QwenRecord, parts: Part[]): Part[] {
  const result = toolResult.safeParse(data).data?.toolCallResult;
  if (result === undefined) return parts;
  const { callId: id, status, resultDisplay: text } = result;
  const error = status === 'error' || status === 'cancelled';
  if (parts.length === 0 && typeof text === 'string' && text !== '')
    return [{ kind: 'result', id, text, error }];
  return parts.map((part) => (part.kind === 'result' ? { ...part, error: part.error || error } : part));
}

function systemSteps(data: QwenRecord, said: ReadonlySet<string>): Step[] {
  const { uuid: id, timestamp: at, parentUuid, systemPayload: payload } = data;
  switch (data.subtype) {
    case 'rewind':
      return [
        parentUuid == null ? { kind: 'rewind', from: '', at } : { kind: 'rewind', after: parentUuid, at },
      ];
    case 'ui_telemetry': {
      const message = apiError.safeParse(payload).data?.uiEvent.error_message;
      return message === undefined
        ? []
        : [turn('assistant', `[error] ${message}`, { id, at, synthetic: true })];
    }
    case 'custom_title': {
      const { customTitle, titleSource } = title.safeParse(payload).data ?? {};
      return titled(customTitle, titleSource === 'auto' ? RANK.auto : RANK.manual);
    }
    case 'slash_command': {
      const typed = command.safeParse(payload).data?.rawCommand;
      return typed === undefined ? [] : [turn('user', `[command] ${typed}`, { id, at, synthetic: true })];
    }
    case 'chat_compression': {
      const text = summaryOf(payload, said);
      return text === undefined ? [] : [{ kind: 'summary', text }];
    }
    default:
      return [];
  }
}

/** The compressed history contains the summary, the program's answer to it, and kept messages. */
function summaryOf(payload: unknown, said: ReadonlySet<string>): string | undefined {
  const { data } = compression.safeParse(payload);
  const texts = (data?.compressedHistory ?? [])
    .filter(({ role }) => role === 'user')
    .map(({ parts }) => wordsOf(googleParts(parts)))
    .filter((text) => text !== '' && !/^\s*<system-reminder>/.test(text));
  return texts.find((text) => SNAPSHOT.test(text)) ?? texts.find((text) => !said.has(sha256(text)));
}
