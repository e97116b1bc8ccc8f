import type { ConversationFacts, TurnKeys } from './facts.js';
import { keptCopyKey } from './facts.js';

/** Which turns of a conversation other sources contain. */
export interface Copied {
  /** Ranges of turn numbers, end exclusive. */
  leftOut: [number, number][];
  /** Keys of the sources that contain them. */
  standsIn: string[];
  /** The conversation has no turn of its own. */
  contained: boolean;
}

export const NOTHING_COPIED: Copied = { leftOut: [], standsIn: [], contained: false };

/** Maps a message (id or copy key) to the source that counts as its original. */
export class Originals {
  readonly #byKey = new Map<string, string>();

  /** The first source that is added for a key stays. */
  add(key: string, sourceKey: string): void {
    if (!this.#byKey.has(key)) this.#byKey.set(key, sourceKey);
  }

  /** Adds all turns that a conversation keeps. */
  addAll({ turns }: Pick<ConversationFacts, 'turns'>, leftOut: Copied['leftOut'], sourceKey: string): void {
    for (const turn of ownTurns(turns, leftOut)) for (const key of namesOf(turn)) this.add(key, sourceKey);
  }

  of(key: string): string | undefined {
    return this.#byKey.get(key);
  }
}

/** Tests whether a number is in one of the ranges. The numbers must be asked in ascending order. */
export function inRanges(ranges: readonly (readonly [number, number])[]): (number: number) => boolean {
  let next = 0;
  return (number) => {
    while ((ranges[next]?.[1] ?? Number.POSITIVE_INFINITY) <= number) next += 1;
    return (ranges[next]?.[0] ?? Number.POSITIVE_INFINITY) <= number;
  };
}

function ownTurns(turns: readonly TurnKeys[], leftOut: Copied['leftOut']): TurnKeys[] {
  const isLeftOut = inRanges(leftOut);
  return turns.filter((_, number) => !isLeftOut(number));
}

/** The distinct copy keys of the kept turns, as the palace stores them. */
export function copyKeysOf({ turns }: ConversationFacts, leftOut: Copied['leftOut']): string[] {
  const keys = ownTurns(turns, leftOut).flatMap(({ copy }) =>
    copy === undefined ? [] : [keptCopyKey(copy.key)],
  );
  return [...new Set(keys)];
}

/** The names under which the palace stores a turn: its id and its copy key. */
export function namesOf({ id, copy }: TurnKeys): string[] {
  return [...(id === undefined ? [] : [id]), ...(copy === undefined ? [] : [keptCopyKey(copy.key)])];
}

/**
 * Finds the turns that other sources contain. A turn is a copy if another source contains its id or its strong key.
 * A weak key counts only at the beginning of a transcript, among turns that are certainly copies.
 *
 * @param covered turns at the beginning that an earlier run left out, and that a forgotten source contained
 */
export function judge(
  { turns, saying }: Pick<ConversationFacts, 'turns' | 'saying'>,
  originals: Pick<Originals, 'of'>,
  sourceKey: string,
  covered: { turns: number; standsIn: readonly string[] } = { turns: 0, standsIn: [] },
): Copied {
  const copied = new Set(turns.slice(0, covered.turns).keys());
  const standsIn = new Set(copied.size > 0 ? covered.standsIn : []);
  const originalOf = (key: string | undefined): string | undefined => {
    const original = key === undefined ? undefined : originals.of(key);
    return original === sourceKey ? undefined : original;
  };
  let last = -1;
  for (const [number, { id, copy, copyOf }] of turns.entries()) {
    const strong = copy?.weak === false ? keptCopyKey(copy.key) : undefined;
    const original = originalOf(id) ?? originalOf(copyOf) ?? originalOf(strong);
    if (original === undefined) continue;
    copied.add(number);
    standsIn.add(original);
    last = number;
  }
  for (const [number, { copy, at }] of last < 0 ? [] : turns.entries()) {
    if (copy?.weak !== true || copied.has(number)) continue;
    const original = originalOf(keptCopyKey(copy.key));
    if (original === undefined || !standsIn.has(original)) continue;
    // After the last certain copy, only turns written at the same moment count.
    if (number <= last || (at !== undefined && at === turns[last]?.at)) copied.add(number);
  }
  const own = [...saying].some((number) => !copied.has(number));
  return { leftOut: rangesOf(copied), standsIn: [...standsIn], contained: copied.size > 0 && !own };
}

function rangesOf(numbers: ReadonlySet<number>): [number, number][] {
  const ranges: [number, number][] = [];
  for (const number of [...numbers].sort((a, b) => a - b)) {
    const last = ranges.at(-1);
    if (last?.[1] === number) last[1] = number + 1;
    else ranges.push([number, number + 1]);
  }
  return ranges;
}

/** How many turns are left out at the very beginning. */
export function coveredOf(leftOut: readonly (readonly [number, number])[]): number {
  const [first] = leftOut;
  return first?.[0] === 0 ? first[1] : 0;
}
