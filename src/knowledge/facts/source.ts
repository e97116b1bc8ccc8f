import { UserError } from '../../core/errors.js';
import type { Fact, Palace } from '../../store/index.js';

/** Letters and digits behind `drawer_` that the beginning of an id must have. */
const LEAST_DIGITS = 8;

/**
 * Where a fact was taken from: the drawer, and the source that it stands in, by whose key a fact is known when that
 * source is forgotten.
 *
 * @throws UserError `usage` for what is no drawer id, or the beginning of several; `not-found` for an unknown one
 */
export function sourceOf(
  palace: Palace,
  { sourceDrawerId, sourceFile }: { sourceDrawerId?: string | undefined; sourceFile?: string | undefined },
): Pick<Fact, 'sourceKey' | 'sourceDrawerId' | 'sourceFile'> {
  if (sourceDrawerId !== undefined) {
    const drawer = drawerOf(palace, sourceDrawerId.trim());
    return {
      sourceKey: drawer.sourceKey,
      sourceDrawerId: drawer.drawerId,
      sourceFile: sourceFile ?? drawer.sourceFile,
    };
  }
  if (sourceFile === undefined) return { sourceKey: null, sourceDrawerId: null, sourceFile: null };
  const [source, ...others] = palace.reading.sourcesNamed(sourceFile);
  const sourceKey = source !== undefined && others.length === 0 ? source.sourceKey : null;
  return { sourceKey, sourceDrawerId: null, sourceFile };
}

function drawerOf(palace: Palace, id: string) {
  if (!/^drawer_[0-9a-f]+$/.test(id) || id.length < 'drawer_'.length + LEAST_DIGITS) {
    throw new UserError('usage', `not a drawer id: ${JSON.stringify(id)}`, {
      hint: 'ids look like drawer_0123456789ab; a search shows them',
    });
  }
  const [drawer, ...others] = palace.reading.drawersByPrefix(id, 2);
  if (drawer === undefined) {
    throw new UserError('not-found', `the palace holds no drawer ${id}`, {
      hint: 'its text may have changed since: search for it again, or tell the fact without a drawer',
    });
  }
  if (others.length > 0) throw new UserError('usage', `${id} begins several drawer ids`);
  return drawer;
}
