import { latestBelievable } from '../../core/believed-time.js';
import type { Identity, OriginFile } from './harness.js';
import type { Entry } from './turns.js';

/** The latest time that a record in these files can have, epoch milliseconds. */
export function latestTime(files: readonly Pick<OriginFile, 'mtimeMs'>[]): number {
  return latestBelievable(Math.max(...files.map(({ mtimeMs }) => mtimeMs)));
}

/** Drops times of an identity after `latestMs`. */
export function believed(identity: Identity, latestMs: number): Identity {
  const { begun, changedMs } = identity;
  return {
    ...identity,
    begun: isBelievable(begun, latestMs) ? begun : undefined,
    changedMs: changedMs !== undefined && changedMs <= latestMs ? changedMs : undefined,
  };
}

/**
 * Gives a turn whose time is missing, not a time or after `latestMs` the time of the turn before it, or `begun` at the
 * beginning. Without either, its time is that of the file.
 */
export async function* inBelievedTime(
  entries: AsyncIterable<Entry>,
  latestMs: number,
  begun: string | undefined,
): AsyncGenerator<Entry> {
  let last = begun;
  for await (const entry of entries) {
    if (entry.kind !== 'turn' || isBelievable(entry.at, latestMs)) {
      if (entry.kind === 'turn') last = entry.at;
      yield entry;
      continue;
    }
    const { at: _, ...turn } = entry;
    yield last === undefined ? turn : { ...turn, at: last };
  }
}

function isBelievable(at: string | undefined, latestMs: number): boolean {
  return at !== undefined && Date.parse(at) <= latestMs;
}
