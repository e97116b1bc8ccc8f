import { UserError } from '../../../core/errors.js';
import type { Output } from '../../../core/metabolism.js';
import type { Input } from '../../../service/contract/index.js';
import type { CommonFlags } from '../../app/options.js';

export interface MetabolismFlags extends CommonFlags {
  leastUses?: number;
  oldDays?: number;
  apply?: string;
  as?: Output;
  into?: string;
  interactive?: boolean;
}

const LEAST_USES = 5;
const OLD_DAYS = 180;
/** Uses that were counted for a shorter time do not show what is never used. */
export const LEAST_COUNTED_DAYS = 30;
const DAY_MS = 86_400_000;

/**
 * @param now epoch milliseconds
 * @throws UserError `usage` for flags that exclude each other
 */
export function metabolismConfig(flags: MetabolismFlags, cold: readonly string[], now: number) {
  const { leastUses = LEAST_USES, oldDays = OLD_DAYS, apply, interactive = false } = flags;
  if (apply !== undefined && interactive)
    throw new UserError('usage', '--apply does one step, --interactive asks for each: give one of them');
  if (apply === undefined && !interactive && (flags.as ?? flags.into) !== undefined)
    throw new UserError('usage', '--as and --into are for --apply and --interactive');
  const dayBefore = (days: number) => new Date(now - days * DAY_MS).toISOString().slice(0, 10);
  const input: Input<'metabolism'> = {
    leastUses,
    oldBefore: dayBefore(oldDays),
    countedBefore: dayBefore(LEAST_COUNTED_DAYS),
    cold: [...cold],
  };
  return { input, apply, interactive, as: flags.as, into: flags.into };
}
