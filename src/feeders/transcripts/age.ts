import type { Identity } from './harness.js';

/** What decides which conversation is older. If two contain the same message, the older one is the original. */
interface Aged {
  sourceKey: string;
  identity: Pick<Identity, 'sessionId' | 'begun' | 'copiedFrom'>;
}

/** Oldest first. A conversation always follows the originals that it names, whatever their start times. */
export function inAgeOrder<T>(all: readonly T[], agedOf: (each: T) => Aged): T[] {
  const ageOf = ({ identity, sourceKey }: Aged) => `${identity.begun ?? ''}\0${sourceKey}`;
  const sorted = [...all].sort((a, b) => (ageOf(agedOf(a)) < ageOf(agedOf(b)) ? -1 : 1));
  const byKey = new Map(sorted.map((each) => [agedOf(each).sourceKey, each]));
  const ordered: T[] = [];
  const entered = new Set<T>();
  const place = (each: T): void => {
    if (entered.has(each)) return;
    entered.add(each);
    const { sourceKey, identity } = agedOf(each);
    const prefix = sourceKey.slice(0, sourceKey.indexOf(':') + 1);
    for (const id of identity.copiedFrom ?? []) {
      const original = byKey.get(prefix + id);
      if (original !== undefined) place(original);
    }
    ordered.push(each);
  };
  for (const each of sorted) place(each);
  return ordered;
}
