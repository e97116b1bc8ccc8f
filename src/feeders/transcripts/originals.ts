import { z } from 'zod';
import { parseJson } from '../../core/json.js';
import { readLines } from '../../platform/jsonl.js';
import { inAgeOrder, namesOf, prefixOf } from './copies.js';
import type { ConversationFacts } from './facts.js';
import type { StagedBefore } from './fingerprint.js';
import type { FiledConversations, WorkItem } from './options.js';

export interface Candidate
  extends Pick<WorkItem, 'conversation' | 'wing' | 'mtimeMs' | 'session' | 'current'> {
  before: StagedBefore | undefined;
  /** Number of turns at its beginning that an earlier run left out; 0 if its file has lost its beginning. */
  covered: number;
  /** Undefined until it is read. */
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
      for (const name of [...(turn.copyOf === undefined ? [] : [turn.copyOf]), ...namesOf(turn)])
        if (!seekers.has(name)) seekers.set(name, each);
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

const named = z.object({ messageId: z.string().optional(), copyKey: z.string().optional() });
const NAMED = /"(?:messageId|copyKey)":/;

/** Ids and copy keys of the messages in a staged transcript; empty if it cannot be read. */
async function namesInStaged(file: string): Promise<string[]> {
  const names: (string | undefined)[] = [];
  try {
    for await (const { text } of readLines(file)) {
      if (text === undefined || !NAMED.test(text)) continue;
      const { messageId, copyKey } = named.safeParse(parseJson(text)).data ?? {};
      names.push(messageId, copyKey);
    }
  } catch {
    return [];
  }
  return names.filter((name) => name !== undefined);
}
