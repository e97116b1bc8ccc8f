import { COPY_KEY_PREFIX, type StagedSource } from '../core/contract.js';
import { plural } from '../core/plural.js';
import type { FiledSource, Palace } from '../store/index.js';

export interface NewVersion {
  source: Pick<StagedSource, 'kind' | 'unparsedRows' | 'leftOutRows' | 'standsIn' | 'mtimeMs'>;
  filed: FiledSource | undefined;
  /** Staged elsewhere: it may not remove filed messages. */
  guarded?: boolean | undefined;
  messages: readonly string[];
  /** Lines that could not be read. */
  problems: readonly string[];
  drafts: readonly { text: string }[];
}

/**
 * Why a new version of a source may not replace the filed one; undefined when it may. If filed messages are missing in a
 * transcript, it is accepted only when all its rows could be read and the session has changed since, or when the
 * sessions that it was forked from contain them. Otherwise a damaged database would erase history. Rows of a newer
 * opencode's unknown kinds count as unread.
 *
 * @param failed keys of sources that this run could not file: they cannot replace others
 */
export function reasonToHoldBack(
  prepared: NewVersion,
  palace: Palace,
  failed: ReadonlySet<string>,
): string | undefined {
  const { source, filed } = prepared;
  if (filed === undefined) return undefined;
  const present = new Set(prepared.messages);
  // A copy key adds nothing to the message itself. The parts of a document may change freely.
  const missing = (source.kind === 'conversation' ? palace.sources.messagesOf(filed.id) : []).filter(
    (message) => !message.startsWith(COPY_KEY_PREFIX) && !present.has(message),
  ).length;
  const unread = (source.unparsedRows ?? 0) + (source.leftOutRows ?? 0) + prepared.problems.length;
  if (unread > 0) {
    const lost = lostDrawers(prepared.drafts, palace, filed.id);
    if (missing === 0 && lost === 0) return undefined;
    return `${unread} of its rows could not be read, and ${missing > 0 ? plural(missing, 'filed message') : `the text of ${plural(lost, 'drawer')}`} would be lost`;
  }
  if (missing === 0) return undefined;
  const gone = `${plural(missing, 'filed message')} ${missing === 1 ? 'is' : 'are'} missing`;
  const leansOn = source.standsIn ?? [];
  // The messages of a forgotten session need no other source.
  const absent = leansOn.filter(
    (key) => failed.has(key) || (palace.sources.byKey(key) === undefined && !palace.forgetting.has(key)),
  );
  if (absent.length > 0) {
    return `${gone}, and the sources that contain them are not filed: ${absent.join(', ')}`;
  }
  if (prepared.guarded === true) return `${gone}: --allow-removals removes them`;
  if (leansOn.length > 0 || source.mtimeMs > filed.mtimeMs) return undefined;
  return `${gone} although the session has not changed since it was filed`;
}

/** Number of filed drawers whose text the new version does not contain, regardless of its chunk borders. */
function lostDrawers(drafts: NewVersion['drafts'], palace: Palace, sourceId: number): number {
  const texts = drafts.map(({ text }) => text);
  const kept = new Set(texts);
  const gone = palace.drawers.textsOf(sourceId).filter((text) => !kept.has(text));
  if (gone.length === 0) return 0;
  const whole = texts.join('');
  return gone.filter((text) => !whole.includes(text.trim())).length;
}
