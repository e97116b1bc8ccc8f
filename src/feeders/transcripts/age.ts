import { buildSourceKey, parseSourceKey } from '../../core/source-key.js';
import type { Identity } from './harness.js';

/** What tells which of two conversations is the older: of two that hold the same message, that is the original. */
interface Aged {
  sourceKey: string;
  identity: Pick<Identity, 'sessionId' | 'begun' | 'copiedFrom'>;
}

/** Negative when the first one is the older. What names its original is younger than that; else the beginning counts. */
export function compareAge(one: Aged, other: Aged): number {
  if (names(one, other)) return 1;
  if (names(other, one)) return -1;
  const copies = (one.identity.copiedFrom?.length ?? 0) - (other.identity.copiedFrom?.length ?? 0);
  return (
    compare(one.identity.begun ?? '', other.identity.begun ?? '') ||
    copies ||
    compare(one.sourceKey, other.sourceKey)
  );
}

/**
 * The oldest first. Each stands behind the originals that it names, also where that is not the order of their
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
    const { kind } = parseSourceKey(sourceKey);
    for (const id of identity.copiedFrom ?? []) {
      const original = byKey.get(buildSourceKey({ kind, owner: id }));
      if (original !== undefined) place(original);
    }
    ordered.add(each);
  };
  for (const each of sorted) place(each);
  return [...ordered];
}

function names(copy: Aged, original: Aged): boolean {
  const { sessionId } = original.identity;
  return sessionId !== undefined && copy.identity.copiedFrom?.includes(sessionId) === true;
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
