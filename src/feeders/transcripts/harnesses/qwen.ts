import { join } from 'node:path';
import * as field from '../../../core/fields.js';
import { sha256 } from '../../../core/hash.js';
import type { Part } from '../../../core/parts.js';
import { googleParts } from '../google-parts.js';
import type { ConversationFiles, FileHead, Harness, Identity } from '../harness.js';
import { homeOf } from '../homes.js';
import { readRecords } from '../records.js';
import { type Step, withRewinds } from '../rewinds.js';
import { type Turn, titled, turn, wordsOf } from '../turns.js';

/**
 * Sessions of Qwen Code (`~/.qwen/projects/<folder>/chats/<session id>.jsonl`): messages in the API's format, in a tree
 * of uuids. Telemetry repeats them, except for errors of the API.
 */
function recordOf(json: unknown) {
  const [type, data] = [field.text(json, 'type'), field.object(json)];
  if (type === undefined || data === undefined) return undefined;
  const [id, at] = [field.name(data, 'uuid'), field.name(data, 'timestamp')];
  return { type, data, id, at, forkedFrom: field.text(data, 'forkedFrom', 'sessionId') };
}
type QwenRecord = NonNullable<ReturnType<typeof recordOf>>;

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
  const { type, data } = recordOf(json) ?? {};
  if (data === undefined || !('parentUuid' in data)) return false;
  return type === 'system'
    ? data.systemPayload !== undefined
    : Array.isArray(field.value(data, 'message', 'parts'));
}

function identityOf({ records }: FileHead): Identity {
  const found = records.flatMap((json) => recordOf(json) ?? []);
  const [first] = found;
  const origins = new Set(found.flatMap(({ forkedFrom }) => forkedFrom ?? []));
  // Copied records have the times of the original.
  const own = found.find(({ forkedFrom }) => forkedFrom === undefined) ?? found.at(-1);
  return {
    sessionId: found.flatMap(({ data }) => field.name(data, 'sessionId') ?? [])[0],
    agentId: field.name(first?.data, 'agentId'),
    cwd: field.name(first?.data, 'cwd'),
    begun: own?.at,
    copiedFrom: origins.size > 0 ? [...origins] : undefined,
  };
}

function steps(conversation: ConversationFiles): AsyncGenerator<Step> {
  const seen = new Set<string>();
  const said = new Set<string>();
  let lastError: string | undefined;
  return readRecords<Step>(conversation, (json) => {
    const record = recordOf(json);
    if (record === undefined) return undefined;
    const { id, at, type } = record;
    const name = id && `${id} ${at} ${type}`;
    if (name !== undefined && seen.has(name)) return [];
    if (name !== undefined) seen.add(name);
    const place: Step[] = id === undefined ? [] : [{ kind: 'place', name: id }];
    if (type === 'system') {
      const read = systemSteps(record, said);
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
    const read = turnOf(record);
    if (read?.role === 'user') said.add(sha256(wordsOf(read.parts)));
    return read === undefined ? place : [...place, read];
  });
}

function turnOf({ type, data, id, at }: QwenRecord): Turn | undefined {
  const parts = googleParts(field.value(data, 'message', 'parts'));
  if (type === 'assistant') return turn('assistant', parts, { id, at });
  if (type === 'tool_result') return turn('user', resultsOf(data, parts), { id, at });
  if (type !== 'user') return undefined;
  const spoken =
    TYPED.has(field.name(data, 'subtype')) &&
    (field.name(data, 'provenance') ?? 'real_user') === 'real_user' &&
    data.externalInputKind !== 'notification' &&
    parts.some(({ kind }) => kind === 'text');
  return turn('user', parts, { id, at, spoken, synthetic: !spoken });
}

/** The status is more reliable than the response, which may contain an error as output. */
function resultsOf({ toolCallResult: result }: field.Fields, parts: Part[]): Part[] {
  const [status, text] = [field.text(result, 'status'), field.name(result, 'resultDisplay')];
  const error = status === 'error' || status === 'cancelled';
  if (parts.length === 0 && text !== undefined)
    return [{ kind: 'result', id: field.name(result, 'callId'), text, error }];
  return parts.map((part) => (part.kind === 'result' ? { ...part, error: part.error || error } : part));
}

function systemSteps({ data, id, at }: QwenRecord, said: ReadonlySet<string>): Step[] {
  const { parentUuid, systemPayload: payload } = data;
  switch (data.subtype) {
    case 'rewind': {
      const parent = field.text(parentUuid);
      return [
        parent === undefined ? { kind: 'rewind', from: '', at } : { kind: 'rewind', after: parent, at },
      ];
    }
    case 'ui_telemetry': {
      const isError = field.text(payload, 'uiEvent', 'event.name')?.endsWith('api_error') === true;
      const message = isError ? field.name(payload, 'uiEvent', 'error_message') : undefined;
      if (message === undefined) return [];
      return [turn('assistant', `[error] ${message}`, { id, at, synthetic: true })];
    }
    case 'custom_title': {
      const isAuto = field.text(payload, 'titleSource') === 'auto';
      return titled(field.text(payload, 'customTitle'), isAuto ? RANK.auto : RANK.manual);
    }
    case 'slash_command': {
      const typed =
        field.text(payload, 'phase') === 'invocation' ? field.name(payload, 'rawCommand') : undefined;
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
  const texts = field
    .objects(payload, 'compressedHistory')
    .filter(({ role }) => role === 'user')
    .map(({ parts }) => wordsOf(googleParts(parts)))
    .filter((text) => text !== '' && !/^\s*<system-reminder>/.test(text));
  return texts.find((text) => SNAPSHOT.test(text)) ?? texts.find((text) => !said.has(sha256(text)));
}
