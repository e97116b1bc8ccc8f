import { plural } from '../core/plural.js';
import type { FiledSource, Palace } from '../store/index.js';
import { comparedIds, lostDrawers, type NewVersion } from './keep/index.js';

type Replacing = Pick<NewVersion, 'source' | 'guarded' | 'messages' | 'problems' | 'drafts'> & {
  filed: FiledSource | undefined;
};

/**
 * Why a new version may not replace the filed one yet; undefined when it may. A fork leaves out filed messages that other
 * sources contain, and one of those is not filed; a document has rows that could not be read, and would lose text.
 * Messages that a conversation has lost need no decision: they are kept.
 *
 * @param failed keys of sources that this run could not file: they cannot replace others
 */
export function reasonToHoldBack(
  version: Replacing,
  palace: Palace,
  failed: ReadonlySet<string>,
): string | undefined {
  const { source, filed } = version;
  if (filed === undefined) return undefined;
  if (source.kind !== 'conversation') return reasonOfUnread(version, palace, filed);
  // The messages of a forgotten session need no other source.
  const absent = (source.standsIn ?? []).filter(
    (key) => failed.has(key) || (palace.sources.byKey(key) === undefined && !palace.forgetting.has(key)),
  );
  const omitted = absent.length === 0 ? 0 : comparedIds(version, filed, palace).omitted;
  if (omitted === 0) return undefined;
  const gone = `${plural(omitted, 'filed message')} ${omitted === 1 ? 'is' : 'are'} missing`;
  return `${gone}, and the sources that contain them are not filed: ${absent.join(', ')}`;
}

/** The parts of a document may change freely, if all of them could be read. */
function reasonOfUnread(version: Replacing, palace: Palace, filed: FiledSource): string | undefined {
  const { source, problems } = version;
  const unread = (source.unparsedRows ?? 0) + (source.leftOutRows ?? 0) + problems.length;
  const lost = unread === 0 ? 0 : lostDrawers(version, filed, palace);
  if (lost === 0) return undefined;
  return `${unread} of its rows could not be read, and the text of ${plural(lost, 'drawer')} would be lost`;
}
