import { z } from 'zod';
import { readLines } from '../../platform/jsonl.js';
import { inAgeOrder } from './age.js';
import { Holders, namesOf } from './copies.js';
import type { ConversationFacts } from './facts.js';
import type { StagedBefore } from './fingerprint.js';
import type { Conversation, FiledConversations } from './options.js';
import { parseJson } from './records.js';

interface Known {
  conversation: Conversation;
  before: StagedBefore | undefined;
  current: boolean;
  facts: ConversationFacts | undefined;
}

/**
 * What of the conversations that are read again is held by others already: by sources of the palace, and by what lies
 * staged and is not filed yet.
 *
 * @returns `overdue`: keys of conversations that lie staged as they were, and hold what an older one that has come
 *   since says: they are to be read again, and to give it up
 */
export async function findHolders(
  open: readonly Known[],
  all: readonly Known[],
  filed: FiledConversations,
): Promise<{ holders: Holders; overdue: Set<string> }> {
  const holders = new Holders();
  const overdue = new Set<string>();
  if (open.length === 0) return { holders, overdue };
  const order = new Map(inAgeOrder(all, ({ conversation }) => conversation).map((each, at) => [each, at]));
  const isOlder = (one: Known, other: Known) => (order.get(one) ?? 0) < (order.get(other) ?? 0);
  const wanted = new Map<string, Known>();
  // Every name of a turn, with the oldest conversation that has it.
  for (const each of [...open].sort((a, b) => (isOlder(a, b) ? -1 : 1))) {
    for (const turn of each.facts?.turns ?? []) {
      for (const name of [...(turn.copyOf === undefined ? [] : [turn.copyOf]), ...namesOf(turn)])
        if (!wanted.has(name)) wanted.set(name, each);
    }
  }
  const opened = new Set(
    open.flatMap(({ conversation: { sourceKey, identity } }) => [sourceKey, identity.formerKey ?? sourceKey]),
  );
  const currentOnes = new Map(
    all.filter(({ current }) => current).map((each) => [each.conversation.sourceKey, each]),
  );
  const meet = (sourceKey: string, messages: Iterable<string>) => {
    for (const name of messages) {
      const seeker = wanted.get(name);
      if (seeker === undefined) continue;
      const holder = currentOnes.get(sourceKey);
      if (holder !== undefined && isOlder(seeker, holder)) overdue.add(sourceKey);
      else holders.add(name, sourceKey);
    }
  };
  const fresh = open.filter(({ before }) => before === undefined);
  for (const prefix of new Set(fresh.map(({ conversation }) => prefixOf(conversation)))) {
    for (const { sourceKey, messages } of filed.messagesOfAll(prefix))
      if (!opened.has(sourceKey)) meet(sourceKey, messages);
  }
  // What was staged before has grown: what it copied, it copied of those that it leans on.
  for (const key of new Set(open.flatMap(({ before }) => before?.standsIn ?? [])))
    if (!opened.has(key)) meet(key, filed.messagesOf(key));
  for (const [sourceKey, { before }] of currentOnes)
    if (before !== undefined && filed.get(sourceKey) === undefined)
      meet(sourceKey, await namesInStaged(before.file));
  return { holders, overdue };
}

function prefixOf({ sourceKey }: Conversation): string {
  return sourceKey.slice(0, sourceKey.indexOf(':') + 1);
}

const named = z.object({ messageId: z.string().optional(), copyKey: z.string().optional() });
const NAMED = /"(?:messageId|copyKey)":/;

/** Ids and copy keys of the messages in a staged transcript; none of one that cannot be read. */
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
