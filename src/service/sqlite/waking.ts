import { sep } from 'node:path';
import { NOTICE, quotable } from '../../core/outside.js';
import { wakeUp as woken } from '../../reading/wake-up.js';
import type { Palace } from '../../store/index.js';
import type { Input, Output } from '../contract/index.js';

/** The overview for an agent at the start of a session. @param before lines that precede it, within its budget */
export function wakeUp(
  palace: Palace,
  { folder, ...asked }: Input<'wakeUp'>,
  before?: readonly string[],
): Output<'wakeUp'> {
  if (folder === undefined) return inWing(palace, asked, before);
  const wing = wingOf(palace, folder);
  const own = wing === undefined ? undefined : inWing(palace, { ...asked, wing }, before);
  return own !== undefined && own.holdings.length > 0 ? own : inWing(palace, asked, before);
}

function inWing(
  palace: Palace,
  { wing, without = [], ...asked }: Omit<Input<'wakeUp'>, 'folder'>,
  before: readonly string[] | undefined,
): Output<'wakeUp'> {
  const result = woken(palace, {
    ...asked,
    before,
    // A cold wing that is asked for is told.
    place: { wing, without: without.filter((cold) => cold.room !== undefined || cold.wing !== wing) },
    identity: asked.identity,
    now: Date.now(),
    notice: `memory (${NOTICE})`,
    clean: (text) => quotable(text),
  });
  const isEmpty = wing !== undefined && result.holdings.length === 0;
  const wings = isEmpty ? palace.listing.wings().map((known) => known.wing) : undefined;
  return { ...result, ...(wing !== undefined && { wing }), ...(wings && { wings }) };
}

/** The wing of the innermost project around a folder. */
function wingOf(palace: Palace, folder: string): string | undefined {
  return palace.projects
    .all()
    .filter(({ root }) => folder === root || folder.startsWith(root + sep))
    .sort((one, other) => other.root.length - one.root.length)[0]?.wing;
}
