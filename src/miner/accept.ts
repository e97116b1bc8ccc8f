import { drawerIds, type Palace } from '../store/index.js';
import type { PreparedSource } from './prepare.js';

/**
 * Why a new version of a conversation may not replace the filed one; undefined when it may. A transcript
 * that lacks messages which are filed is believed only when every row of it could be read and the session
 * has changed since, or when the sessions it leans on hold them: else a broken database would erase history.
 */
export function reasonToHoldBack(prepared: PreparedSource, palace: Palace): string | undefined {
  const { source, filed } = prepared;
  if (filed === undefined || source.kind !== 'conversation') return undefined;
  const present = new Set(prepared.messages);
  const missing = palace.sources.messagesOf(filed.id).filter((message) => !present.has(message)).length;
  const unread = (source.unparsedRows ?? 0) + prepared.problems.length;
  if (unread > 0) {
    const lost = lostDrawers(prepared, palace, filed.id);
    if (missing === 0 && lost === 0) return undefined;
    return `${unread} of its rows could not be read, and ${missing > 0 ? `${missing} filed messages` : `the text of ${lost} drawers`} would be lost`;
  }
  if (missing === 0 || source.mtimeMs > filed.mtimeMs) return undefined;
  const leansOn = source.standsIn ?? [];
  if (leansOn.length > 0 && leansOn.every((key) => palace.sources.byKey(key) !== undefined)) return undefined;
  return `${missing} filed messages are missing although the session has not changed since it was filed`;
}

function lostDrawers(prepared: PreparedSource, palace: Palace, sourceId: number): number {
  const ids = new Set(
    drawerIds(
      prepared.source.sourceKey,
      prepared.drafts.map((draft) => draft.text),
    ),
  );
  return palace.drawers.idsOf(sourceId).filter((id) => !ids.has(id)).length;
}
