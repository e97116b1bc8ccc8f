import type { ConversationFacts, TurnKeys } from './facts.js';
import type { Conversation } from './options.js';

/** Which turns of a conversation other sources contain. */
export interface Copied {
  /** Their numbers. */
  leftOut: ReadonlySet<number>;
  /** Keys of the sources that contain them. */
  standsIn: string[];
  /** The conversation has no turn of its own. */
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
export function prefixOf({ sourceKey }: Conversation): string {
  return sourceKey.slice(0, sourceKey.indexOf(':') + 1);
}
