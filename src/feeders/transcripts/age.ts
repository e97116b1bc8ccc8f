import type { Identity } from './harness.js';

/** What decides which of two conversations is the older: of two that have the same message, that is the original. */
interface Aged {
  sourceKey: string;
  identity: Pick<Identity, 'sessionId' | 'begun' | 'copiedFrom'>;
}

/**
 * The oldest first. Each is behind the originals that it names, also where that is not the order of their
 * beginnings.
 */
export function inAgeOrder<T>(all: readonly T[], agedOf: (each: T) => Aged): T[] {
  const sorted = [...all].sort((a, b) => {
    const [one, other] = [agedOf(a), agedOf(b)];
    const begun = compare(one.identity.begun ?? '', other.identity.begun ?? '');
    return begun || compare(one.sourceKey, other.sourceKey);
  });
  const byKey = new Map(sorted.map((each) => [agedOf(each).sourceKey, each]));
  const ordered = new Set<T>();
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
    ordered.add(each);
  };
  for (const each of sorted) place(each);
  return [...ordered];
}

function compare(a: string, b: string): number {
  return a < b ? -1 : Number(a > b);
}
