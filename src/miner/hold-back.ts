import { plural } from '../core/plural.js';
import type { FiledSource, Palace } from '../store/index.js';
import { comparedIds, type NewVersion } from './keep/index.js';

type Replacing = Pick<NewVersion, 'source' | 'guarded' | 'messages'> & { filed: FiledSource | undefined };

/**
 * Why a new version of a fork may not replace the filed one yet; undefined when it may: it leaves out filed messages that
 * other sources contain, and one of those is not filed. Messages that a source has lost need no decision: they are kept.
 *
 * @param failed keys of sources that this run could not file: they cannot replace others
 */
export function reasonToHoldBack(
  version: Replacing,
  palace: Palace,
  failed: ReadonlySet<string>,
): string | undefined {
  const { source, filed } = version;
  if (filed === undefined || source.kind !== 'conversation') return undefined;
  // The messages of a forgotten session need no other source.
  const absent = (source.standsIn ?? []).filter(
    (key) => failed.has(key) || (palace.sources.byKey(key) === undefined && !palace.forgetting.has(key)),
  );
  const omitted = absent.length === 0 ? 0 : comparedIds(version, filed, palace).omitted;
  if (omitted === 0) return undefined;
  const gone = `${plural(omitted, 'filed message')} ${omitted === 1 ? 'is' : 'are'} missing`;
  return `${gone}, and the sources that contain them are not filed: ${absent.join(', ')}`;
}
