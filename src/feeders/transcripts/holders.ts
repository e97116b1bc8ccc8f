import { compareAge } from './age.js';
import { Holders, namesOf } from './copies.js';
import type { ConversationFacts } from './facts.js';
import type { StagedBefore } from './fingerprint.js';
import type { Conversation, FiledConversations } from './options.js';
import { namesInStaged } from './staged-names.js';

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
  const wanted = wantedNames(open);
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

/** Every name of a turn, with the oldest conversation that has it. */
function wantedNames(open: readonly Known[]): Map<string, Known> {
  const wanted = new Map<string, Known>();
  for (const each of open) {
    for (const turn of each.facts?.turns ?? []) {
      const { copyOf } = turn;
      for (const name of copyOf === undefined ? namesOf(turn) : [copyOf, ...namesOf(turn)]) {
        const other = wanted.get(name);
        if (other === undefined || isOlder(each, other)) wanted.set(name, each);
      }
    }
  }
  return wanted;
}

function isOlder(one: Known, other: Known): boolean {
  return compareAge(one.conversation, other.conversation) < 0;
}

function prefixOf({ sourceKey }: Conversation): string {
  return sourceKey.slice(0, sourceKey.indexOf(':') + 1);
}
