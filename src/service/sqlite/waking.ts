import { NOTICE, quotable } from '../../core/outside.js';
import { wakeUp as woken } from '../../reading/wake-up.js';
import type { Palace } from '../../store/index.js';
import type { Input, Output } from '../contract/index.js';

/** The overview for an agent at the start of a session. @param before lines that precede it, within its budget */
export function wakeUp(
  palace: Palace,
  { wing, without, ...asked }: Input<'wakeUp'>,
  before?: readonly string[],
): Output<'wakeUp'> {
  const result = woken(palace, {
    ...asked,
    before,
    place: { wing, without },
    identity: asked.identity,
    now: Date.now(),
    notice: `memory (${NOTICE})`,
    clean: (text) => quotable(text),
  });
  const isEmpty = wing !== undefined && result.holdings.length === 0;
  return isEmpty ? { ...result, wings: palace.listing.wings().map((known) => known.wing) } : result;
}
