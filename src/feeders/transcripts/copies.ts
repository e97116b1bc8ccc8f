import type { ConversationFacts, TurnKeys } from './facts.js';
import { keptCopyKey } from './facts.js';

/** What of a conversation others hold. */
export interface Copied {
  /** Stretches of turns by number, the end not included. */
  leftOut: [number, number][];
  /** Source keys of those that hold them. */
  standsIn: string[];
  /** It says nothing of its own. */
  contained: boolean;
}

export const NOTHING_COPIED: Copied = { leftOut: [], standsIn: [], contained: false };

/** Which source holds a message, of those that stand as originals. */
export class Holders {
  readonly #byKey = new Map<string, string>();

  /** The first conversation keeps it. */
  add(key: string, sourceKey: string): void {
    if (!this.#byKey.has(key)) this.#byKey.set(key, sourceKey);
  }

  /** All that a conversation holds itself. */
  addAll({ turns }: Pick<ConversationFacts, 'turns'>, leftOut: Copied['leftOut'], sourceKey: string): void {
    for (const turn of ownTurns(turns, leftOut)) for (const key of namesOf(turn)) this.add(key, sourceKey);
  }

  of(key: string): string | undefined {
    return this.#byKey.get(key);
  }
}

/** Says of one number after the other, ascending, whether it lies in one of the stretches. */
export function inStretches(stretches: readonly (readonly [number, number])[]): (number: number) => boolean {
  let next = 0;
  return (number) => {
    while ((stretches[next]?.[1] ?? Number.POSITIVE_INFINITY) <= number) next += 1;
    return (stretches[next]?.[0] ?? Number.POSITIVE_INFINITY) <= number;
  };
}

function ownTurns(turns: readonly TurnKeys[], leftOut: Copied['leftOut']): TurnKeys[] {
  const isLeftOut = inStretches(leftOut);
  return turns.filter((_, number) => !isLeftOut(number));
}

/** The copy keys of what is not left out, each once, as the palace keeps them. */
export function copyKeysOf({ turns }: ConversationFacts, leftOut: Copied['leftOut']): string[] {
  const keys = ownTurns(turns, leftOut).flatMap(({ copy }) =>
    copy === undefined ? [] : [keptCopyKey(copy.key)],
  );
  return [...new Set(keys)];
}

/** The names by which a source of the palace keeps a turn. */
export function namesOf({ id, copy }: TurnKeys): string[] {
  return [...(id === undefined ? [] : [id]), ...(copy === undefined ? [] : [keptCopyKey(copy.key)])];
}

/**
 * Which turns others hold. A turn is a copy when its id or its strong key is held by another source; or when its words
 * are, at the beginning of a transcript, among turns that are copies for certain.
 *
 * @param covered turns at the beginning that an earlier run left out, leaning on what is forgotten by now
 */
export function judge(
  { turns, saying }: Pick<ConversationFacts, 'turns' | 'saying'>,
  holders: Pick<Holders, 'of'>,
  sourceKey: string,
  covered: { turns: number; standsIn: readonly string[] } = { turns: 0, standsIn: [] },
): Copied {
  const copied = new Set(turns.slice(0, covered.turns).keys());
  const standsIn = new Set(copied.size > 0 ? covered.standsIn : []);
  const heldBy = (key: string | undefined): string | undefined => {
    const holder = key === undefined ? undefined : holders.of(key);
    return holder === sourceKey ? undefined : holder;
  };
  let last = -1;
  for (const [number, { id, copy, copyOf }] of turns.entries()) {
    const strong = copy?.weak === false ? keptCopyKey(copy.key) : undefined;
    const holder = heldBy(id) ?? heldBy(copyOf) ?? heldBy(strong);
    if (holder === undefined) continue;
    copied.add(number);
    standsIn.add(holder);
    last = number;
  }
  for (const [number, { copy, at }] of last < 0 ? [] : turns.entries()) {
    if (copy?.weak !== true || copied.has(number)) continue;
    const holder = heldBy(keptCopyKey(copy.key));
    if (holder === undefined || !standsIn.has(holder)) continue;
    // Behind the last copy that is certain only what was written in the same moment.
    if (number <= last || (at !== undefined && at === turns[last]?.at)) copied.add(number);
  }
  const own = [...saying].some((number) => !copied.has(number));
  return { leftOut: stretchesOf(copied), standsIn: [...standsIn], contained: copied.size > 0 && !own };
}

function stretchesOf(numbers: ReadonlySet<number>): [number, number][] {
  const stretches: [number, number][] = [];
  for (const number of [...numbers].sort((a, b) => a - b)) {
    const last = stretches.at(-1);
    if (last?.[1] === number) last[1] = number + 1;
    else stretches.push([number, number + 1]);
  }
  return stretches;
}

/** How many turns at the very beginning are left out. */
export function coveredOf(leftOut: readonly (readonly [number, number])[]): number {
  const [first] = leftOut;
  return first?.[0] === 0 ? first[1] : 0;
}
