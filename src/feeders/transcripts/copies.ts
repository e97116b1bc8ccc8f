import { name } from '../../core/fields.js';
import { parseJson } from '../../core/json.js';
import { readLines } from '../../platform/jsonl.js';
import type { ConversationFacts, TurnKeys } from './facts.js';
import type { StagedBefore } from './fingerprint.js';
import type { Conversation, FiledConversations, WorkItem } from './options.js';

export interface Copied {
  leftOut: ReadonlySet<number>;
  standsIn: string[];
  contained: boolean;
}

/** Turns that an earlier run left out, and that forgotten sources contained. */
interface Forgotten {
  /** Number of turns at the beginning. */
  turns: number;
  standsIn: readonly string[];
  /** Names of the turns that are filed as its own. */
  own: ReadonlySet<string>;
}

/** The names under which the palace stores a turn: its id and its copy key. */
export function namesOf({ id, copy }: TurnKeys): string[] {
  return [id, copy?.key].filter((name) => name !== undefined);
}

/**
 * Finds the turns that other sources contain. A turn is a copy if another source contains its id or its strong key.
 * A weak key counts only at the beginning of a transcript, among turns that are certainly copies.
 *
 * @param sourceOf the source that counts as the original of a message (id or copy key)
 */
export function judge(
  { turns }: ConversationFacts,
  sourceOf: (name: string) => string | undefined,
  sourceKey: string,
  forgotten: Forgotten = { turns: 0, standsIn: [], own: new Set() },
): Copied {
  const leftOut = new Set<number>();
  for (const [number, turn] of turns.slice(0, forgotten.turns).entries())
    if (!forgotten.own.has(namesOf(turn)[0] ?? '')) leftOut.add(number);
  const standsIn = new Set(leftOut.size > 0 ? forgotten.standsIn : []);
  const originalOf = (name: string | undefined): string | undefined => {
    const original = name === undefined ? undefined : sourceOf(name);
    return original === sourceKey ? undefined : original;
  };
  let last = -1;
  for (const [number, { id, copy, copyOf }] of turns.entries()) {
    const strong = copy?.weak === false ? copy.key : undefined;
    const original = originalOf(id) ?? originalOf(copyOf) ?? originalOf(strong);
    if (original === undefined) continue;
    leftOut.add(number);
    standsIn.add(original);
    last = number;
  }
  for (const [number, { copy, at }] of last < 0 ? [] : turns.entries()) {
    if (copy?.weak !== true || leftOut.has(number)) continue;
    const original = originalOf(copy.key);
    if (original === undefined || !standsIn.has(original)) continue;
    // After the last certain copy, only turns written at the same moment count.
    if (number <= last || (at !== undefined && at === turns[last]?.at)) leftOut.add(number);
  }
  const hasOwn = turns.some(({ says }, number) => says && !leftOut.has(number));
  return { leftOut, standsIn: [...standsIn], contained: leftOut.size > 0 && !hasOwn };
}

/**
 * Oldest first: if two conversations contain the same message, the older one is the original. A conversation always
 * follows the originals that it names, whatever their start times.
 */
export function inAgeOrder<T extends { conversation: Conversation }>(all: readonly T[]): T[] {
  const ageOf = ({ conversation: { identity, sourceKey } }: T) => `${identity.begun ?? ''}\0${sourceKey}`;
  const sorted = [...all].sort((a, b) => (ageOf(a) < ageOf(b) ? -1 : 1));
  const byKey = new Map(sorted.map((each) => [each.conversation.sourceKey, each]));
  const ordered = new Set<T>();
  const entered = new Set<T>();
  const place = (each: T): void => {
    if (entered.has(each)) return;
    entered.add(each);
    for (const id of each.conversation.identity.copiedFrom ?? []) {
      const original = byKey.get(prefixOf(each.conversation) + id);
      if (original !== undefined) place(original);
    }
    ordered.add(each);
  };
  for (const each of sorted) place(each);
  return [...ordered];
}

/** `<harness>:`. */
function prefixOf({ sourceKey }: Conversation): string {
  return sourceKey.slice(0, sourceKey.indexOf(':') + 1);
}

export interface Candidate
  extends Pick<WorkItem, 'conversation' | 'wing' | 'mtimeMs' | 'session' | 'current'> {
  before: StagedBefore | undefined;
  /** Number of turns at its beginning that an earlier run left out; 0 if its file has lost its beginning. */
  covered: number;
  facts: ConversationFacts | undefined;
}

/**
 * Finds messages of the conversations read in this run that other sources already contain: sources in the palace,
 * and staged ones that are not filed yet.
 *
 * @returns `originals`: source keys by message name (id or copy key); `overdue`: keys of unchanged staged conversations
 *   that contain messages of an older conversation found since. They must be read again, to leave out those messages.
 */
export async function findOriginals(
  open: readonly Candidate[],
  all: readonly Candidate[],
  filed: FiledConversations,
): Promise<{ originals: Map<string, string>; overdue: Set<string> }> {
  const originals = new Map<string, string>();
  const overdue = new Set<string>();
  if (open.length === 0) return { originals, overdue };
  const order = new Map(inAgeOrder(all).map((each, at) => [each, at]));
  const isOlder = (one: Candidate, other: Candidate) => (order.get(one) ?? 0) < (order.get(other) ?? 0);
  const seekers = new Map<string, Candidate>();
  // Every name of a turn, with the oldest conversation that contains it.
  for (const each of [...open].sort((a, b) => (isOlder(a, b) ? -1 : 1))) {
    for (const turn of each.facts?.turns ?? []) {
      for (const id of [...(turn.copyOf === undefined ? [] : [turn.copyOf]), ...namesOf(turn)])
        if (!seekers.has(id)) seekers.set(id, each);
    }
  }
  const opened = new Set(
    open.flatMap(({ conversation: { sourceKey, identity } }) => [sourceKey, identity.formerKey ?? sourceKey]),
  );
  const candidates = new Map(all.map((each) => [each.conversation.sourceKey, each]));
  /** Copies of messages that an opened file has lost stay copies: those are still in the palace. */
  const add = (sourceKey: string, messages: Iterable<string>) => {
    const source = candidates.get(sourceKey);
    const isOpen = opened.has(sourceKey);
    for (const name of messages) {
      const seeker = seekers.get(name);
      if (seeker === undefined) continue;
      const isOriginal = source === undefined ? !isOpen : isOlder(source, seeker);
      if (!isOriginal && !isOpen) overdue.add(sourceKey);
      else if (isOriginal && !originals.has(name)) originals.set(name, sourceKey);
    }
  };
  const fresh = open.filter(({ before }) => before === undefined);
  for (const prefix of new Set(fresh.map(({ conversation }) => prefixOf(conversation))))
    for (const { sourceKey, messages } of filed.messagesOfAll(prefix)) add(sourceKey, messages);
  // A conversation that was staged before can only have copied from the sources that it already refers to.
  for (const key of new Set(open.flatMap(({ before }) => before?.standsIn ?? [])))
    add(key, filed.messagesOf(key));
  for (const [key, { before, current }] of candidates)
    if (current && before !== undefined && filed.get(key) === undefined)
      add(key, await namesInStaged(before.file));
  return { originals, overdue };
}

const NAMED = /"(?:messageId|copyKey)":/;

/** Ids and copy keys of the messages in a staged transcript; empty if it cannot be read. */
async function namesInStaged(file: string): Promise<string[]> {
  const names: (string | undefined)[] = [];
  try {
    for await (const { text } of readLines(file)) {
      if (text === undefined || !NAMED.test(text)) continue;
      const json = parseJson(text);
      names.push(name(json, 'messageId'), name(json, 'copyKey'));
    }
  } catch {
    return [];
  }
  return names.filter((each) => each !== undefined);
}
